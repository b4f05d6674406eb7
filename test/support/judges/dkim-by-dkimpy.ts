import { execFileSync } from 'node:child_process';

const PROGRAM = `
import base64, dkim, json, sys
job = json.load(sys.stdin)
records = {name.encode() + b'.': value.encode() for name, value in job['records'].items()}
verdicts = []
for encoded in job['messages']:
    judge = dkim.DKIM(base64.b64decode(encoded))
    found = []
    for index in range(sum(1 for name, _ in judge.headers if name.lower() == b'dkim-signature')):
        try:
            found.append(bool(judge.verify(idx=index, dnsfunc=lambda name, timeout=5: records.get(name))))
        except dkim.DKIMException:
            found.append(False)
    verdicts.append(found)
print(json.dumps(verdicts))
`;

/** For each message what dkimpy says of each of its signatures. `records`: TXT values by name. `python` has dkim, nacl. */
export function dkimByDkimpy(
  python: string,
  messages: readonly Buffer[],
  records: Record<string, string>,
): boolean[][] {
  const input = JSON.stringify({ records, messages: messages.map((message) => message.toString('base64')) });
  return JSON.parse(execFileSync(python, ['-c', PROGRAM], { input, encoding: 'utf8' })) as boolean[][];
}
