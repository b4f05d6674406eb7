export { NoticesModule } from './notices.module.js';
export { NoticeSender } from './notice-sender.js';
export { LinkMail } from './link-mail.js';
