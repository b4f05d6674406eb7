import { ConfigError, type Config } from '#libs/kernel';
import { readShapingPlan, ShapingFileError, type ShapingPlan } from '#libs/mta';

/**
 * The shipped limits, and over them those of SHAPING_FILE.
 * @throws ConfigError with one sentence: the file, the place in it, and what is allowed there.
 */
export function shapingPlan({ settings }: Config): ShapingPlan {
  const { SHAPING_FILE: file, SERVICE_DOMAIN } = settings;
  try {
    return readShapingPlan({ ...(file === undefined ? {} : { file }), heloName: `smtp.${SERVICE_DOMAIN}` });
  } catch (error) {
    if (!(error instanceof ShapingFileError)) throw error;
    throw new ConfigError(`SHAPING_FILE ${file}: ${error.message}.`, { cause: error });
  }
}
