import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useSession } from '../../api/session.tsx';

const SIZES = {
  Desktop: { width: '100%', height: 560 },
  Tablet: { width: '768px', height: 560 },
  Phone: { width: '375px', height: 667 },
};

interface MessageFrameProps {
  emailId: string;
  /** Images of other hosts in the message. */
  remoteImages: number;
}

/** The HTML of a message as a document of its own, without scripts, forms and remote content. */
export function MessageFrame({ emailId, remoteImages }: MessageFrameProps) {
  const { account } = useSession();
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const [size, setSize] = useState<keyof typeof SIZES>(narrow ? 'Phone' : 'Desktop');
  const { width, height } = SIZES[size];
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        w={240}
        maw="100%"
        data={Object.keys(SIZES)}
        value={size}
        onChange={(value) => setSize(value as keyof typeof SIZES)}
        aria-label="Width of the preview"
      />
      {/* A document without scripts passes no key on, so Escape cannot leave it. */}
      <a href="#after-message" className="skip-link">
        Skip the message
      </a>
      <iframe
        title="Message"
        sandbox=""
        src={`/app/message/${emailId}?x-account-id=${account.id}`}
        style={{
          width,
          maxWidth: '100%',
          height,
          border: '1px solid var(--mantine-color-default-border)',
          borderRadius: 8,
          background: '#fff',
        }}
      />
      <span id="after-message" tabIndex={-1} />
      {remoteImages > 0 && (
        <Text size="xs" c="dimmed">
          {remoteImages === 1 ? 'An image' : `${remoteImages} images`} of other hosts{' '}
          {remoteImages === 1 ? 'is' : 'are'} not loaded, so that looking at a message tells nobody.
        </Text>
      )}
    </Stack>
  );
}
