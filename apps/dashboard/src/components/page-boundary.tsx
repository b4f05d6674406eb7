import { Alert, Button, Group } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';

interface PageBoundaryProps {
  /** The boundary forgets a failure when it changes. */
  path: string;
  children: ReactNode;
}

/** Keeps the navigation usable when a page cannot be loaded or fails. */
export class PageBoundary extends Component<PageBoundaryProps, { failedPath: string | null }> {
  override state = { failedPath: null };

  static getDerivedStateFromProps(props: PageBoundaryProps, state: { failedPath: string | null }) {
    return state.failedPath === null || state.failedPath === props.path ? null : { failedPath: null };
  }

  override componentDidCatch(): void {
    this.setState({ failedPath: this.props.path });
  }

  override render(): ReactNode {
    if (this.state.failedPath === null) return this.props.children;
    return (
      <Alert color="red" icon={<IconAlertTriangle />} title="This page cannot be shown.">
        <Group>
          <Button size="xs" variant="default" onClick={() => window.location.reload()}>
            Reload
          </Button>
        </Group>
      </Alert>
    );
  }
}
