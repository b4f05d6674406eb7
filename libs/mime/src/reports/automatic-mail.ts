import { foldedLine } from './folded-line.js';
import { fieldOf } from './report-fields.js';
import type { ReportTree } from './report-parts.js';

/** Fields that only machines write which answer. `X-Auto-Response-Suppress` is not among them: people's mail has it. */
const FIELDS = [
  'x-autoreply',
  'x-auto-reply',
  'x-autorespond',
  'x-autoresponder',
  'x-autoreply-from',
  'x-vacation',
  'x-mail-autoreply',
];
const DENIAL = /^\s{0,9}(?:no|false|0)?\s{0,9}$/i;
const RECEIPT = /^message\/(?:global-)?disposition-notification$/;
const AUTOMATIC_PRECEDENCE = /^\s{0,9}auto[_-]?reply/i;
const BULK = /^\s{0,9}(?:bulk|junk)/i;

const SUBJECT = new RegExp(
  [
    '^auto(?:matic|mated)?[ -]?(?:re(?:ply|sponse)|answer)|^auto:|out[ -]of[ -](?:the[ -])?office|autoreply|auto-reply|on vacation\\b|away from (?:my|the) (?:mail|desk|office)',
    'automatische antwort|abwesenheit|nicht im (?:buro|haus)|reponse automatique|absence du bureau|message d.absence|respuesta automatica|fuera de la oficina',
    'risposta automatica|fuori (?:sede|ufficio)|resposta automatica|fora do escritorio|automatisch antwoord|afwezig|automatiskt svar|automatisk svar|odpowiedz automatyczna',
    'автоматическии ответ|автоответ|自動(?:応答|返信)|不在(?:通知|の)|自动(?:回复|答复)|自動回覆',
    '^(?:read|not read|gelesen|lu|leido|letto|lido|gelezen|прочитано) ?:|^return receipt|verification required|confirm (?:your|you sent the) (?:message|mail)|ticket (?:received|created|opened)|we (?:have )?received your (?:request|mail|e-mail|message|ticket)',
  ].join('|'),
);
const VACATION =
  /vacation|holiday|out of (?:the )?office|away|on leave|not be reading|urlaub|abwesen|conge|absen|vacaciones|ferie|ausente|vakantie|отпуск/;

/** Whether a machine wrote it that answers mail (RFC 3834), or a reader's receipt (RFC 8098). */
export function isAutomatic(tree: ReportTree, lines: readonly string[]): boolean {
  const { fields } = tree;
  const submitted = fieldOf(fields, 'auto-submitted').split(/[;\s(]/, 1)[0];
  if (isReceipt(tree) || !DENIAL.test(submitted)) return true;
  if (FIELDS.some((name) => !DENIAL.test(fieldOf(fields, name)))) return true;
  const precedence = fieldOf(fields, 'precedence');
  const subject = foldedLine(fieldOf(fields, 'subject').slice(0, 500));
  if (AUTOMATIC_PRECEDENCE.test(precedence) || SUBJECT.test(subject)) return true;
  return BULK.test(precedence) && VACATION.test(`${subject} ${foldedLine(lines.join(' ').slice(0, 2_000))}`);
}

export const isReceipt = ({ type, parts }: ReportTree): boolean =>
  parts.some((part) => RECEIPT.test(part.type)) ||
  type.parameters.get('report-type')?.toLowerCase() === 'disposition-notification';
