const SESSION_END = 'postloft:session-end';

/** Every refused request of an ended session leads to the login. */
export function announceSessionEnd(): void {
  window.dispatchEvent(new Event(SESSION_END));
}

export function onSessionEnd(listener: () => void): () => void {
  window.addEventListener(SESSION_END, listener);
  return () => window.removeEventListener(SESSION_END, listener);
}
