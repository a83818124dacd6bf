/** Claims of service accounts, and tokens with an invalid signature. */

const UID = '77c81ad7-1bea-4d94-9ca5-f5d7f3632331'

export const BOUND = { aud: ['a'], 'kubernetes.io': { namespace: 'prod', serviceaccount: { name: 'web', uid: UID } } }

export const LEGACY = {
  'kubernetes.io/serviceaccount/namespace': 'prod',
  'kubernetes.io/serviceaccount/service-account.name': 'web',
  'kubernetes.io/serviceaccount/service-account.uid': UID,
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export const tokenOf = (claims: unknown): string => `${part({ alg: 'ES256' })}.${part(claims)}.c2lnbmF0dXJl`
