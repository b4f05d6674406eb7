/** A valid body of `POST /emails`; override what the test is about. */
export function mail(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    from: 'Shop <orders@sandbox.postloft.test>',
    to: 'ada@example.com',
    subject: 'Your order',
    text: 'Thank you.',
    html: '<p>Thank you.</p>',
    ...over,
  };
}
