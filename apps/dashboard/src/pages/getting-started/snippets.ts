export const LANGUAGES = ['curl', 'Node.js', 'Python', 'PHP', 'Go', 'SMTP'] as const;
type Language = (typeof LANGUAGES)[number];

export interface SnippetValues {
  baseUrl: string;
  relay: { host: string; starttlsPort: number; tlsPort: number; hasSelfSignedCertificate: boolean };
  domain: string;
  token: string;
}

const BODY = (domain: string) =>
  `{"from": "Hello <hello@${domain}>", "to": ["you@example.com"], "subject": "Hello", "text": "It works."}`;

const OWN_CERTIFICATE =
  'Certificate: self-signed; give the client smtp-certificate.pem of the data directory as its authority';

/** Sends one message, with the reader's own values. */
export function snippet(language: Language, { baseUrl, relay, domain, token }: SnippetValues): string {
  const url = `${baseUrl}/emails`;
  switch (language) {
    case 'curl':
      return `curl ${url} \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '${BODY(domain)}'`;
    case 'Node.js':
      return `const response = await fetch('${url}', {
  method: 'POST',
  headers: { Authorization: 'Bearer ${token}', 'Content-Type': 'application/json' },
  body: JSON.stringify({
    from: 'Hello <hello@${domain}>',
    to: ['you@example.com'],
    subject: 'Hello',
    text: 'It works.',
  }),
});
console.log(response.status, await response.json());`;
    case 'Python':
      return `import json, urllib.request

request = urllib.request.Request(
    "${url}",
    data=json.dumps(${BODY(domain)}).encode(),
    headers={"Authorization": "Bearer ${token}", "Content-Type": "application/json"},
)
print(urllib.request.urlopen(request).read().decode())`;
    case 'PHP':
      return `<?php
$curl = curl_init('${url}');
curl_setopt_array($curl, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ['Authorization: Bearer ${token}', 'Content-Type: application/json'],
    CURLOPT_POSTFIELDS => json_encode([
        'from' => 'Hello <hello@${domain}>',
        'to' => ['you@example.com'],
        'subject' => 'Hello',
        'text' => 'It works.',
    ]),
]);
echo curl_exec($curl);`;
    case 'Go':
      return `package main

import (
	"fmt"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(\`${BODY(domain)}\`)
	request, _ := http.NewRequest("POST", "${url}", body)
	request.Header.Set("Authorization", "Bearer ${token}")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	fmt.Println(response, err)
}`;
    case 'SMTP':
      return [
        `Host:        ${relay.host}`,
        `Port:        ${relay.starttlsPort} with STARTTLS, or ${relay.tlsPort} with TLS`,
        `User name:   hello@${domain}`,
        `Password:    ${token}`,
        ...(relay.hasSelfSignedCertificate ? [OWN_CERTIFICATE] : []),
      ].join('\n');
  }
}
