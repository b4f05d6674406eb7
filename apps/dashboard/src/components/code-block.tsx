import { Box, Code } from '@mantine/core';
import { Copy } from './format.tsx';

/** Code to copy. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <Box pos="relative">
      <Code block pr={44} tabIndex={0} aria-label={label}>
        {code}
      </Code>
      <Box pos="absolute" top={8} right={8}>
        <Copy value={code} label={`Copy ${label}`} />
      </Box>
    </Box>
  );
}
