import {
  createTheme,
  Menu,
  Modal,
  Notification,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';

const brand: MantineColorsTuple = [
  '#edf2ff',
  '#dbe4ff',
  '#bac8ff',
  '#91a7ff',
  '#748ffc',
  '#5c7cfa',
  '#4c6ef5',
  '#4263eb',
  '#3b5bdb',
  '#364fc7',
];

const FONTS = "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

export const theme = createTheme({
  colors: { brand },
  primaryColor: 'brand',
  primaryShade: { light: 8, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: FONTS,
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  headings: { fontFamily: FONTS, fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: Modal.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 600 } },
    }),
    // It names the dialog, and is no banner of the page.
    ModalHeader: Modal.Header.extend({ defaultProps: { role: 'presentation' } }),
    // The first item takes the focus.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
  },
});

/**
 * The background of pages without a session, and text colors with a contrast of at least 4.5 to their backgrounds (WCAG
 * 2.2, 1.4.3), where those of Mantine have less.
 */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--page-background': '#f8f9fb',
    '--mantine-color-dimmed': '#495057',
    '--mantine-color-placeholder': '#6c757d',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-yellow-light-color': '#8a4600',
    '--mantine-color-orange-light-color': '#a63507',
    '--mantine-color-orange-text': '#a63507',
    '--mantine-color-yellow-text': '#8a4600',
    '--mantine-color-teal-light-color': '#066649',
    '--mantine-color-teal-text': '#066649',
  },
  dark: {
    '--page-background': 'var(--mantine-color-dark-8)',
    '--mantine-color-dimmed': '#a6a6a6',
    '--mantine-color-placeholder': '#9a9a9a',
    '--mantine-color-error': 'var(--mantine-color-red-5)',
    '--mantine-color-dark-outline': 'var(--mantine-color-dark-0)',
  },
});
