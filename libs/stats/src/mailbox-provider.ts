export { mailboxProvider } from '#libs/contracts';
