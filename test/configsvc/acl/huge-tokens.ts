/** Bodies for a new token in which one member is far too long. */
const text = 'x'.repeat(1_000_000)

export const HUGE_TOKENS: readonly (readonly [string, object])[] = [
  ['SecretID', { SecretID: text }],
  ['AccessorID', { AccessorID: text }],
  ['AuthMethod', { AuthMethod: text }],
  ['ExpirationTTL', { ExpirationTTL: text }],
  ['digits', { ExpirationTTL: '9'.repeat(1_000_000) }],
  ['ExpirationTime', { ExpirationTime: text }],
  ['Namespace', { Namespace: text }],
  ['links', { Policies: Array.from({ length: 50_000 }, () => ({ ID: 'x' })) }],
  ['identities', { ServiceIdentities: Array.from({ length: 40_000 }, (_, i) => ({ ServiceName: `s${i}` })) }],
  ['a body', { Description: 'x'.repeat(1_100_000) }],
]
