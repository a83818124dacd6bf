/**
 * A substitute for a build server, which signs a token for each of its pipelines.
 */
import { generateKeyPairSync, sign } from 'node:crypto'

const MINUTES = 60

const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function makeIssuer(name) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    name,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }),

    /** Returns the token of a pipeline. */
    tokenFor(claims) {
      const iat = Math.floor(Date.now() / 1000)
      const text = `${base64url({ alg: 'ES256' })}.${base64url({ iss: name, iat, exp: iat + 5 * MINUTES, ...claims })}`
      return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
    },
  }
}
