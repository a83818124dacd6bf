/**
 * Logins of service accounts in memory: what they cost beside the verification of the signature, which nobody can save, and beside what they
 * leave in the store. One account logs in again and again, one login after the other. RSA is always OpenSSL's.
 */
import { verify } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { memoryStorage } from 'strongroom'
import { nodeCrypto } from 'strongroom/crypto/node'
import { measure } from '../measure.mjs'
import { microseconds, ratioCell, table, timeCell } from '../report.mjs'
import { ALGORITHMS, openForLogins, REVIEWER, ROLE, signedToken } from '../service-accounts.mjs'
import { checked, counting } from '../setup.mjs'

const BACKENDS = { noble: () => ({}), node: () => ({ crypto: nodeCrypto() }) }
const COUNTED = 1000

export const title = 'Logins of service accounts (memory, one at a time)'

/** The verification of the signature and nothing else, with a key that is parsed already. */
function verifierOf({ alg, signed, signature, publicKey }, backend) {
  const open = { key: publicKey, dsaEncoding: 'ieee-p1363' }
  const options = { prehash: false, lowS: false }
  const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-65)
  const check =
    alg === 'ES256' && backend === 'noble'
      ? () => p256.verify(signature, sha256(signed), point, options)
      : () => verify('sha256', signed, open, signature)
  if (!check()) throw new Error(`${alg}: own signature is not valid`)
  return check
}

async function measureOne(alg, backend) {
  const token = signedToken(alg)
  const check = verifierOf(token, backend)
  const kernel = await openForLogins(BACKENDS[backend](), token)
  const reviewed = await openForLogins({ ...BACKENDS[backend](), ports: { tokenReviewer: REVIEWER } }, token)
  const login = { role: ROLE, jwt: token.jwt }
  const request = { method: 'POST', path: '/v1/auth/orchestrator/login', headers: {}, body: login }
  const secret = { path: 'app/db', data: { password: 'x'.repeat(32) } }
  const made = { policies: ['app'], ttl: '1h', no_parent: true }
  await checked(kernel, request)
  const rounds = await measure({
    verification: (n) => {
      for (let i = 0; i < n; i++) check()
    },
    login: async (n) => {
      for (let i = 0; i < n; i++) await kernel.orchestrator.login(login)
    },
    'login, reviewed': async (n) => {
      for (let i = 0; i < n; i++) await reviewed.orchestrator.login(login)
    },
    'login, request': async (n) => {
      for (let i = 0; i < n; i++) await kernel.handle(request)
    },
    'a token alone': async (n) => {
      for (let i = 0; i < n; i++) await kernel.tokens.createToken(made)
    },
    'a secret written': async (n) => {
      for (let i = 0; i < n; i++) await kernel.kv.writeSecret(secret)
    },
  })
  await kernel.close()
  await reviewed.close()
  return rounds
}

/** What a login asks of the storage when the account has logged in before. */
async function countOne() {
  const token = signedToken('ES256')
  const { storage, counts } = counting(memoryStorage())
  const kernel = await openForLogins({ ...BACKENDS.node(), storage, ports: { tokenReviewer: REVIEWER } }, token)
  const login = () => kernel.orchestrator.login({ role: ROLE, jwt: token.jwt })
  await login()
  const before = { ...counts }
  for (let i = 0; i < COUNTED; i++) await login()
  const found = { commits: counts.commits - before.commits, reads: counts.reads - before.reads }
  await kernel.close()
  return found
}

export async function run() {
  const times = []
  const shares = []
  for (const alg of ALGORITHMS) {
    for (const backend of Object.keys(BACKENDS)) {
      const label = `${alg}, ${backend}`
      const rounds = await measureOne(alg, backend)
      const each = rounds.names.map((name) => microseconds(rounds.time(name).median))
      times.push([label, ...each, String(Math.round(1e6 / rounds.time('login').median))])
      const rest = (floor) => ratioCell(rounds.added('login', 'verification', floor))
      const reviewing = timeCell(rounds.extra('login, reviewed', 'login'))
      // How many times as fast the verification is: that many times as long the login takes.
      const whole = ratioCell(rounds.speed('verification', 'login'))
      shares.push([label, whole, rest('a token alone'), rest('a secret written'), reviewing])
    }
  }
  const { commits, reads } = await countOne()
  const counted = (what, expected, count) => ({
    what: `logins of an account that is known: ${what}`,
    limit: `${expected} in ${COUNTED}`,
    measured: String(count),
    met: count === expected,
  })
  const targets = [counted('commits', COUNTED, commits), counted('storage reads', 0, reads)]
  const names = ['verification', 'login', 'login, reviewed', 'login, request', 'a token alone', 'a secret written']
  const shared = ['times its verification', 'rest, in tokens', 'rest, in secrets', 'reviewed minus login']
  const text = [
    table(['', ...names, 'logins a second'], times),
    'The first column is the time of a login divided by the time of verifying its signature. The second and third columns are the time of a login without that verification,\ndivided by the time of creating a token and of writing a secret. The last column is the additional time of a review that returns immediately.',
    table(['', ...shared], shares),
  ].join('\n\n')
  return { targets, text }
}
