import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useElementSize, useMediaQuery } from '@mantine/hooks';
import { IconPhoto } from '@tabler/icons-react';
import { useState, type CSSProperties } from 'react';
import { call } from '../../api/http.ts';
import { useSession } from '../../api/session.tsx';
import { useChange } from '../../components/use-change.ts';
import type { HtmlFacts } from './links.ts';

/** Width and height of the frame in CSS pixels; a width of null is that of the page. */
const SIZES = {
  Desktop: { width: null, height: 560 },
  Tablet: { width: 768, height: 560 },
  Phone: { width: 375, height: 667 },
};
/** On a narrow screen, a layout of fixed width is scaled down to it, as mail programs do. */
const FIT_WIDTH = { least: 640, most: 1_600 };
const FIT_HEIGHT = { least: 160, most: 480 };
/** Space around the content of a document. */
const MARGINS_PX = 16;

interface WithImages {
  html: string;
  images: number;
  loaded: number;
}

interface MessageFrameProps {
  emailId: string;
  facts: HtmlFacts;
}

/**
 * The HTML of a message as a document of its own, without scripts and forms. Images of other hosts are loaded by the
 * server, and only when the reader asks for them.
 */
export function MessageFrame({ emailId, facts }: MessageFrameProps) {
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const [withImages, setWithImages] = useState<WithImages | null>(null);
  const frame = { emailId, html: withImages?.html ?? null };
  return (
    <Stack gap="xs">
      {narrow ? <NarrowFrame {...frame} facts={facts} /> : <WideFrame {...frame} />}
      <span id="after-message" tabIndex={-1} />
      {facts.remoteImages > 0 && (
        <RemoteImages emailId={emailId} count={facts.remoteImages} result={withImages} onLoad={setWithImages} />
      )}
    </Stack>
  );
}

interface Shown {
  emailId: string;
  /** The document with its images; null to load the one without. */
  html: string | null;
}

function WideFrame(shown: Shown) {
  const [size, setSize] = useState<keyof typeof SIZES>('Desktop');
  const { width, height } = SIZES[size];
  return (
    <>
      <SegmentedControl
        size="xs"
        w={240}
        data={Object.keys(SIZES)}
        value={size}
        onChange={(value) => setSize(value as keyof typeof SIZES)}
        aria-label="Width of the preview"
      />
      <Frame {...shown} style={{ width: width ?? '100%', maxWidth: '100%', height }} />
    </>
  );
}

const within = ({ least, most }: { least: number; most: number }, px: number): number =>
  Math.min(Math.max(px, least), most);

function NarrowFrame({ facts, ...shown }: Shown & { facts: HtmlFacts }) {
  const [fit, setFit] = useState(!facts.isResponsive);
  const { ref, width } = useElementSize();
  const fitWidth = within(FIT_WIDTH, facts.fixedWidth + MARGINS_PX);
  const scale = fit && width > 0 ? Math.min(1, width / fitWidth) : 1;
  const height = within(FIT_HEIGHT, facts.height * scale + 2 * MARGINS_PX);
  const scaled: CSSProperties = { width: fitWidth, height: height / scale, transform: `scale(${scale})` };
  return (
    <>
      <SegmentedControl
        size="xs"
        w={240}
        data={['Fit', 'Actual size']}
        value={fit ? 'Fit' : 'Actual size'}
        onChange={(value) => setFit(value === 'Fit')}
        aria-label="Size of the preview"
      />
      <div ref={ref} style={{ height, overflow: 'hidden' }}>
        <Frame {...shown} style={{ ...(fit ? scaled : { width: '100%', height }), transformOrigin: '0 0' }} />
      </div>
    </>
  );
}

function Frame({ emailId, html, style }: Shown & { style: CSSProperties }) {
  const { account } = useSession();
  const content = html === null ? { src: `/app/message/${emailId}?x-account-id=${account.id}` } : { srcDoc: html };
  return (
    <>
      {/* A document without scripts passes no key on, so Escape cannot leave it. */}
      <a href="#after-message" className="skip-link">
        Skip the message
      </a>
      {/* The key makes a new frame, since one that has shown a document would add an entry to the history. */}
      <iframe
        key={html === null ? 'plain' : 'images'}
        title="Message"
        sandbox=""
        {...content}
        style={{
          border: '1px solid var(--mantine-color-default-border)',
          borderRadius: 8,
          background: '#fff',
          ...style,
        }}
      />
    </>
  );
}

interface RemoteImagesProps {
  emailId: string;
  count: number;
  result: WithImages | null;
  onLoad: (result: WithImages) => void;
}

function RemoteImages({ emailId, count, result, onLoad }: RemoteImagesProps) {
  const [busy, change] = useChange();
  if (result !== null) {
    const missing = result.images - result.loaded;
    return (
      <Text size="xs" c="dimmed" role="status">
        {result.loaded} of {result.images} different remote images loaded by the server.
        {missing > 0 &&
          ` ${missing} did not load or are beyond the limits (100 images, 5 MB each, 20 MB and 20 seconds together).`}
      </Text>
    );
  }
  const load = async () => onLoad(await call<WithImages>('POST', `/app/message/${emailId}/images`));
  return (
    <Group gap="sm">
      <Text size="xs" c="dimmed">
        {count === 1 ? '1 remote image' : `${count} remote images`} not loaded, so that no sender learns that the
        message is read.
      </Text>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPhoto size={14} />}
        loading={busy}
        onClick={() => change(load)}
      >
        Load once
      </Button>
    </Group>
  );
}
