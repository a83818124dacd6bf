/**
 * Service accounts whose logins are measured: their tokens, as API servers write them for pods, and kernels that let them in.
 */
import { generateKeyPairSync, sign } from 'node:crypto'
import { openKernel } from './setup.mjs'

const ACCOUNT = { namespace: 'prod', name: 'web', uid: '9c6a1f0e-7c1d-4a52-8f39-51a3cf0bd0a4' }
const USERNAME = `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`
const KEYS = { ES256: ['ec', { namedCurve: 'P-256' }], RS256: ['rsa', { modulusLength: 2048 }] }
const HOUR = 3600

export const ALGORITHMS = Object.keys(KEYS)
export const ROLE = 'web'

export const ROLE_SETTINGS = {
  bound_service_account_names: [ACCOUNT.name],
  bound_service_account_namespaces: [ACCOUNT.namespace],
  token_policies: ['app'],
  token_ttl: '1h',
}

/** Knows the one account, and answers at once. */
export const REVIEWER = {
  review: async ({ audiences }) => ({ authenticated: true, audiences, user: { username: USERNAME, uid: ACCOUNT.uid } }),
}

function claimsOf(now) {
  const { namespace, name, uid } = ACCOUNT
  return {
    aud: ['https://kubernetes.default.svc.cluster.local'],
    exp: now + HOUR,
    iat: now,
    iss: 'https://kubernetes.default.svc.cluster.local',
    jti: '0f4c7ad3-9a4e-4cf7-bb0f-6f0d5e6f8c11',
    'kubernetes.io': {
      namespace,
      node: { name: 'node-1', uid: '1a1f3c8e-2d57-4b63-9f2c-3d2f6a7c9b10' },
      pod: { name: 'web-6f9c7d5b8-x2x4q', uid: '5b0f6c8a-7e2d-4c39-8a1b-2f3d4e5f6a7b' },
      serviceaccount: { name, uid },
    },
    nbf: now,
    sub: USERNAME,
  }
}

const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token, what of it is signed, and by whom. ECDSA signatures are r || s. */
export function signedToken(alg) {
  const { publicKey, privateKey } = generateKeyPairSync(...KEYS[alg])
  const text = `${base64url({ alg, kid: 'a' })}.${base64url(claimsOf(Math.floor(Date.now() / 1000)))}`
  const signed = Buffer.from(text)
  const signature = sign('sha256', signed, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  return { alg, jwt: `${text}.${signature.toString('base64url')}`, signed, signature, publicKey, pem }
}

/** A kernel that lets the account in, by tokens of this signer. */
export async function openForLogins(options, { pem }) {
  const { kernel } = await openKernel(options)
  await kernel.orchestrator.configure({ orchestrator_host: 'https://api.example', pem_keys: [pem] })
  await kernel.orchestrator.writeRole({ name: ROLE, ...ROLE_SETTINGS })
  return kernel
}
