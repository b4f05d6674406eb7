/** What was seen that led to an entry; what does not apply is null. */
export interface SuppressionEvidence {
  /** The mail that bounced or was complained about. */
  email_id: string | null;
  recipient: string;
  /** The receiving server's answer: RFC 5321 code, RFC 3463 code, its words, its name. */
  smtp_code: number | null;
  enhanced_code: string | null;
  text: string | null;
  mx: string | null;
  /** RFC 5965 §7.3: abuse, fraud, … */
  feedback_type: string | null;
  /** ISO 8601 UTC. */
  at: string;
}
