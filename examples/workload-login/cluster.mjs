/**
 * A substitute for a Kubernetes cluster: it has service accounts, and signs and reviews their tokens. In a real cluster the pods read their
 * tokens from a file, and `kubernetesTokenReviewer()` calls the API server.
 */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { fakeTokenReviewer } from 'strongroom/testing'

const MINUTES = 60

export function makeCluster() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const uids = new Map()
  // The kernel has already verified the signature. Only the cluster knows whether the account still exists.
  const tokenReviewer = fakeTokenReviewer()
  tokenReviewer.answer((answer) => (uids.has(answer.user?.username) ? answer : { authenticated: false }))

  return {
    tokenReviewer,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }),

    /** Creates an account, and returns the token of a pod that runs as this account. */
    startPod(namespace, name) {
      const username = `system:serviceaccount:${namespace}:${name}`
      if (!uids.has(username)) uids.set(username, randomUUID())
      const now = Math.floor(Date.now() / 1000)
      const serviceaccount = { name, uid: uids.get(username) }
      return signed(
        { iat: now, nbf: now, exp: now + 10 * MINUTES, sub: username, 'kubernetes.io': { namespace, serviceaccount } },
        privateKey,
      )
    },

    /** Deletes an account. The signatures of its tokens stay valid, and the tokens have not expired. */
    deleteAccount(namespace, name) {
      uids.delete(`system:serviceaccount:${namespace}:${name}`)
    },
  }
}

const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

function signed(claims, key) {
  const text = `${base64url({ alg: 'ES256' })}.${base64url(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}
