import { createTransport } from 'nodemailer';
import { Postfix, postfixMissing } from '../../support/mail-servers/postfix.js';
import { COMMON, readyMessage } from './ready-mail.js';
import type { RelayFixture } from '../../support/smtp/relay-fixture.js';

/** What a client sends, where it differs from the common mail. */
export interface Sent {
  fromName?: string;
  /** In the envelope beside the recipient. */
  others?: string[];
  text?: string;
  tags?: Record<string, string>;
  subject?: string;
}

/** A program of other people that submits one mail. */
export interface RelayClient {
  name: string;
  /** Too large to be installed for a test; it runs where it is. */
  optional?: true;
  /** Commands that succeed where it can run. */
  needs: string[][];
  /** Why it cannot run although those succeed. */
  missing?: () => string | null;
  /** Where the envelope's recipient ends up, by the mail's own address. */
  recipient?: (plain: string) => string;
  sends?: Sent;
  submit(fixture: RelayFixture, recipient: string): Promise<unknown>;
}

/** A block of the page as a file, run by a command. */
const script =
  (heading: string, file: string, command: string[]) =>
  (fixture: RelayFixture, recipient: string): Promise<string> => {
    const [{ text }] = fixture.snippets(heading, recipient);
    fixture.write(file, text);
    return fixture.run(command[0], [...command.slice(1), file]);
  };

/** The shell lines below a heading, one of several blocks. */
const shell =
  (heading: string, index = 0) =>
  (fixture: RelayFixture, recipient: string): Promise<string> => {
    const blocks = fixture.snippets(heading, recipient).filter(({ language }) => language === 'sh');
    // Mail from a terminal begins with the user's own settings; here are none.
    return fixture.run('sh', ['-c', adaptedShell(blocks[index].text, fixture)]);
  };

/** Programs that take no authority from the environment are told by an option what a real certificate makes needless. */
const adaptedShell = (text: string, { authority }: RelayFixture): string =>
  text
    .replace('swaks ', `swaks --tls-ca-path ${authority} `)
    .replace('curl ', `curl --silent --show-error --cacert ${authority} `)
    .replace(
      's-nail ',
      `s-nail -n -S tls-ca-file=${authority} -S tls-ca-no-defaults -S mime-encoding=quoted-printable `,
    )
    .replace('msmtp ', 'msmtp --file=msmtprc ')
    .replace('mutt ', 'mutt -n -F muttrc ');

const withReadyMail = (submit: RelayClient['submit']) => (fixture: RelayFixture, recipient: string) => {
  fixture.write('mail.eml', readyMessage(fixture.sender.from, recipient));
  return submit(fixture, recipient);
};

const withText = (submit: RelayClient['submit']) => (fixture: RelayFixture, recipient: string) => {
  fixture.write('text.txt', COMMON.text);
  return submit(fixture, recipient);
};

function withMsmtprc(submit: RelayClient['submit'], change = (text: string) => text): RelayClient['submit'] {
  return (fixture, recipient) => {
    fixture.write('msmtprc', change(fixture.snippets('msmtp', recipient)[0].text), 0o600);
    return submit(fixture, recipient);
  };
}

const withMuttrc = (submit: RelayClient['submit']) => (fixture: RelayFixture, recipient: string) => {
  const [{ text }] = fixture.snippets('mutt', recipient);
  fixture.write(
    'muttrc',
    `${text}set ssl_ca_certificates_file = "${fixture.authority}"\nset ssl_usesystemcerts = no\n`,
  );
  return submit(fixture, recipient);
};

const tagged = { tags: { order: '42' } };
const both = { ...tagged, others: [COMMON.blind] };

const NODE: RelayClient[] = [
  {
    name: 'nodemailer with a pool, implicit TLS and an IDN',
    needs: [],
    recipient: (plain) => plain.replace('@example.org', '@xn--bcher-kva.example'),
    sends: both,
    submit: (fixture, recipient) => {
      const written = fixture.snippets('Nodemailer', 'unused@example.org')[0].text;
      fixture.write('send.mjs', written.replace('ada@bücher', `${recipient.split('@')[0]}@bücher`));
      return fixture.run(process.execPath, ['send.mjs']);
    },
  },
  {
    name: 'nodemailer without a pool, STARTTLS',
    needs: [],
    sends: both,
    submit: (fixture, recipient) => {
      const written = fixture.snippets('Nodemailer', recipient)[0].text;
      const changed = written
        .replace('ada@bücher.example', recipient)
        .replace(String(fixture.sender.ports.smtps), String(fixture.sender.ports.smtp))
        .replace('secure: true', 'secure: false, requireTLS: true')
        .replace('pool: true', 'pool: false');
      fixture.write('send-once.mjs', changed);
      return fixture.run(process.execPath, ['send-once.mjs']);
    },
  },
];

const PYTHON: RelayClient[] = [
  {
    name: 'Python smtplib, STARTTLS',
    needs: [['python3', '--version']],
    sends: both,
    submit: script('Python smtplib', 'send.py', ['python3']),
  },
  {
    name: 'Python smtplib, implicit TLS',
    needs: [['python3', '--version']],
    sends: both,
    submit: (fixture, recipient) => {
      const { smtp, smtps } = fixture.sender.ports;
      const written = fixture.snippets('Python smtplib', recipient)[0].text;
      const changed = written
        .replace(
          `smtplib.SMTP('localhost', ${smtp})`,
          `smtplib.SMTP_SSL('localhost', ${smtps}, context=ssl.create_default_context())`,
        )
        .replace(/^ +relay\.starttls.*\n/m, '');
      fixture.write('send-ssl.py', changed);
      return fixture.run('python3', ['send-ssl.py']);
    },
  },
];

const LIBRARIES: RelayClient[] = [
  {
    name: 'PHPMailer',
    needs: [['php', '-r', 'exit((int) !file_exists("/usr/share/php/libphp-phpmailer/autoload.php"));']],
    sends: both,
    submit: (fixture, recipient) => {
      const written = fixture.snippets('PHPMailer', recipient)[0].text;
      fixture.write('send.php', written.replace('vendor/autoload.php', '/usr/share/php/libphp-phpmailer/autoload.php'));
      return fixture.run('php', ['send.php']);
    },
  },
  {
    name: 'Perl Net::SMTP',
    needs: [['perl', '-MNet::SMTP', '-MIO::Socket::SSL', '-MAuthen::SASL', '-e', '1']],
    sends: tagged,
    submit: withReadyMail(script('Perl Net::SMTP', 'send.pl', ['perl'])),
  },
  {
    name: 'Ruby net-smtp',
    needs: [['ruby', '-e', 'require "net/smtp"']],
    sends: tagged,
    submit: withReadyMail(script('Ruby net-smtp', 'send.rb', ['ruby'])),
  },
];

const COMMANDS: RelayClient[] = [
  {
    name: 'curl with a message',
    needs: [['curl', '--version']],
    sends: tagged,
    submit: withReadyMail(shell('curl', 0)),
  },
  {
    name: 'curl with a form',
    needs: [['curl', '--version']],
    sends: { fromName: 'Shop', text: 'Vielen Dank' },
    submit: shell('curl', 1),
  },
  {
    name: 'swaks',
    needs: [['swaks', '--version']],
    sends: { fromName: '', text: 'Vielen Dank\n' },
    submit: shell('swaks'),
  },
  {
    name: 'msmtp',
    needs: [['msmtp', '--version']],
    sends: both,
    submit: withReadyMail(withMsmtprc(shell('msmtp'))),
  },
  {
    name: 'msmtp as sendmail, implicit TLS',
    needs: [['msmtp', '--version']],
    sends: both,
    submit: (fixture, recipient) => {
      const { smtp, smtps } = fixture.sender.ports;
      const change = (text: string) => text.replace(`port ${smtp}`, `port ${smtps}\ntls_starttls off`);
      const submit = withMsmtprc(
        () =>
          fixture.run('msmtp', ['--file=msmtprc', '-oi', '-t'], {
            input: readyMessage(fixture.sender.from, recipient),
          }),
        change,
      );
      return submit(fixture, recipient);
    },
  },
  {
    name: 's-nail',
    needs: [['s-nail', '--version']],
    sends: { fromName: '' },
    submit: withText(shell('s-nail')),
  },
  { name: 'mutt', needs: [['mutt', '-v']], submit: withText(withMuttrc(shell('mutt'))) },
];

const JARS = [
  'org.eclipse.angus:jakarta.mail:2.0.3',
  'jakarta.activation:jakarta.activation-api:2.1.3',
  'org.eclipse.angus:angus-activation:2.0.2',
];

/** They take seconds: Postfix starts and passes mail on from a queue of its own, Go compiles. */
export const SLOW_CLIENTS: RelayClient[] = [
  {
    name: 'Postfix with us as its relayhost',
    missing: postfixMissing,
    needs: [['test', '-e', '/usr/lib/x86_64-linux-gnu/sasl2/libplain.so']],
    sends: tagged,
    submit: async (fixture, recipient) => {
      const [main, password] = fixture.snippets('Postfix as a client', recipient);
      const passwords = fixture.write('postloft', password.text, 0o600);
      const postfix = await Postfix.start(
        `${main.text.replace('/etc/postfix/postloft', passwords)}default_transport = smtp\nsmtp_dns_support_level = disabled\n`,
      );
      try {
        const transport = createTransport({ host: '127.0.0.1', port: postfix.ports.plain, ignoreTLS: true });
        await transport.sendMail({
          envelope: { from: fixture.sender.from, to: recipient },
          raw: readyMessage(fixture.sender.from, recipient),
        });
        await fixture.arrived(recipient);
      } finally {
        await postfix.stop();
      }
    },
  },
  {
    name: 'Jakarta Mail',
    optional: true,
    needs: [
      ['javac', '-version'],
      ['mvn', '-version'],
    ],
    sends: both,
    submit: async (fixture, recipient) => {
      const env = { HOME: process.env['HOME'] ?? '/' };
      for (const artifact of JARS)
        await fixture.run('mvn', ['-q', 'dependency:copy', `-Dartifact=${artifact}`, '-DoutputDirectory=jars'], {
          env,
        });
      const authority = ['-importcert', '-noprompt', '-alias', 'relay', '-file', fixture.authority];
      await fixture.run('keytool', [...authority, '-keystore', 'trusted', '-storepass', 'changeit']);
      const submit = script('Jakarta Mail', 'Send.java', [
        'java',
        '-Djavax.net.ssl.trustStore=trusted',
        '-Djavax.net.ssl.trustStorePassword=changeit',
        ...['-Dfile.encoding=UTF-8', '-Dsun.jnu.encoding=UTF-8', '-cp', 'jars/*'],
      ]);
      return submit(fixture, recipient);
    },
  },
  {
    name: 'Go net/smtp',
    optional: true,
    needs: [['go', 'version']],
    sends: tagged,
    submit: withReadyMail((fixture, recipient) => {
      fixture.write('send.go', fixture.snippets('Go net/smtp', recipient)[0].text);
      return fixture.run('go', ['run', 'send.go'], { env: { HOME: process.env['HOME'] ?? '/' } });
    }),
  },
];

export const RELAY_CLIENTS: RelayClient[] = [...NODE, ...PYTHON, ...LIBRARIES, ...COMMANDS];
