/**
 * Mixes of requests with the weights and defaults of vault-benchmark (its example configurations): RSA keys of 2048 bits and payloads of 128
 * bytes for transit, 100 secrets that are read and 10 that are written with 1,000 bytes for KV version 2.
 */
import { randomBytes } from 'node:crypto'
import { ROLE, ROLE_SETTINGS, signedToken } from '../service-accounts.mjs'

const base64 = (length) => randomBytes(length).toString('base64')

/** Requests of one kind. `path` is below `/v1/`; `body` is sent as JSON. */
const post = (path, body) => () => ({ method: 'POST', path, body: JSON.stringify(body) })

/** @param call Sends a request, and returns the `data` of the answer. */
async function openTransit(call, type, options) {
  const mount = `transit-${type}`
  await call({ method: 'POST', path: `sys/mounts/${mount}`, body: JSON.stringify({ type: 'transit' }) })
  await call({ method: 'POST', path: `${mount}/keys/test`, body: JSON.stringify({ type }) })
  const plaintext = base64(128)
  const encrypt = post(`${mount}/encrypt/test`, { plaintext })
  const { ciphertext } = await call(encrypt())
  const sign = options.signs && post(`${mount}/sign/test`, { input: plaintext, ...options.signs })
  const { signature } = sign ? await call(sign()) : {}
  return { mount, encrypt, decrypt: post(`${mount}/decrypt/test`, { ciphertext }), sign, plaintext, signature }
}

async function transitMix(call) {
  const pss = { hash_algorithm: 'sha2-256', signature_algorithm: 'pss' }
  const { mount, encrypt, decrypt, sign, plaintext, signature } = await openTransit(call, 'rsa-2048', { signs: pss })
  return [
    { name: 'transit_sign', weight: 25, next: sign },
    { name: 'transit_verify', weight: 25, next: post(`${mount}/verify/test`, { input: plaintext, signature, ...pss }) },
    { name: 'transit_encrypt', weight: 25, next: encrypt },
    { name: 'transit_decrypt', weight: 25, next: decrypt },
  ]
}

async function aesMix(call) {
  const { encrypt, decrypt } = await openTransit(call, 'aes256-gcm96', {})
  return [
    { name: 'transit_encrypt (AES)', weight: 50, next: encrypt },
    { name: 'transit_decrypt (AES)', weight: 50, next: decrypt },
  ]
}

async function kvMix(call) {
  await call({ method: 'POST', path: 'sys/mounts/kvv2', body: JSON.stringify({ type: 'kv', options: { version: '2' } }) })
  const write = (path, bytes) => post(`kvv2/data/${path}`, { data: { foo: randomBytes(bytes / 2).toString('hex') } })
  for (let i = 0; i < 100; i++) await call(write(`read-${i}`, 2)())
  const index = (count) => Math.floor(Math.random() * count)
  return [
    { name: 'kvv2_read', weight: 50, next: () => ({ method: 'GET', path: `kvv2/data/read-${index(100)}` }) },
    { name: 'kvv2_write', weight: 50, next: () => write(`write-${index(10)}`, 1_000)() },
  ]
}

/** Tokens as a login makes them: created with a policy, looked up by their holder, revoked when they expire. */
async function tokenMix(call) {
  await call({
    method: 'POST',
    path: 'sys/policies/acl/app',
    body: JSON.stringify({ policy: 'path "secret/*" { capabilities = ["read"] }' }),
  })
  return [
    { name: 'token_create', weight: 50, next: post('auth/token/create', { policies: ['app'], ttl: '5m', no_parent: true }) },
    { name: 'token_lookup_self', weight: 50, next: () => ({ method: 'GET', path: 'auth/token/lookup-self' }) },
  ]
}

/**
 * Logins of a Kubernetes service account. A Vault server would ask a Kubernetes API server about each token, so only dev servers of this
 * package run this mix: without a port for reviews they verify the signature.
 */
async function loginMix(call) {
  const { jwt, pem } = signedToken('ES256')
  const settings = { kubernetes_host: 'https://api.example', pem_keys: [pem] }
  await call({ method: 'POST', path: 'sys/auth/kubernetes', body: JSON.stringify({ type: 'kubernetes' }) })
  await call({ method: 'POST', path: 'auth/kubernetes/config', body: JSON.stringify(settings) })
  await call({ method: 'POST', path: `auth/kubernetes/role/${ROLE}`, body: JSON.stringify(ROLE_SETTINGS) })
  return [{ name: 'kubernetes_login', weight: 100, next: post('auth/kubernetes/login', { role: ROLE, jwt }) }]
}

export const MIXES = { transit: transitMix, 'transit with AES': aesMix, kv: kvMix, tokens: tokenMix }

export const DEV_SERVER_MIXES = { logins: loginMix }
