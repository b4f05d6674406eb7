/** The fate of an invitation, and the way to its link where no mail is delivered. */
export const invitationSentence = (email: string, isCaptured: boolean): string =>
  isCaptured
    ? `The invitation for ${email} was captured, as this service delivers no emails. The operator gets its link by "npm run cli -- login-link --email ${email}".`
    : `An invitation is on its way to ${email}.`;
