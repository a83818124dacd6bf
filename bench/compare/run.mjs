/**
 * Against other libraries, in one process. `npm install` in this folder, then `node bench/compare/run.mjs` writes RESULTS.md beside it.
 */
import { verify } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { nodeCrypto } from '../../dist/adapters/crypto-node/index.js'
import { finish } from '../../dist/core/base/steps.js'
import { VerificationKeys } from '../../dist/core/jwt/keys.js'
import { parseJwt } from '../../dist/core/jwt/parse.js'
import { verifySteps } from '../../dist/core/jwt/verify.js'
import { measure } from '../measure.mjs'
import { loopCipher, loopSigner } from '../node-loop.mjs'
import { comparison, ratio, target, targetTable } from '../report.mjs'
import { ALGORITHMS, openForLogins, ROLE, signedToken } from '../service-accounts.mjs'
import { bytes, openKernel } from '../setup.mjs'
import { ciphers, jwtVerifiers, signers } from './peers.mjs'

const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url))
const OURS = 'strongroom'
const LOOP = 'node:crypto loop'
/** With OpenSSL as the backend, which jose has, too. */
const READ = 'read and verified'
const LOGIN = 'login'
const NAME = 'aes256-gcm96'
const utf8 = new TextEncoder()

/** A loop per candidate, awaiting only what is a promise: a library that answers at once must not pay for one. */
function loopOver(call) {
  if (call() instanceof Promise)
    return async (n) => {
      for (let i = 0; i < n; i++) await call()
    }
  return (n) => {
    for (let i = 0; i < n; i++) call()
  }
}

const loops = (calls) => Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, loopOver(call)]))

async function encryption({ transit }, size) {
  const peers = await ciphers()
  const loop = loopCipher('aes-256-gcm')
  const plain = 'x'.repeat(size)
  const plaintext = utf8.encode(plain)
  const { ciphertext } = await transit.encrypt({ name: NAME, plaintext })
  const ofLoop = loop.encrypt(plaintext)
  const encrypt = { [OURS]: () => transit.encrypt({ name: NAME, plaintext }), [LOOP]: () => loop.encrypt(plaintext) }
  const decrypt = { [OURS]: () => transit.decrypt({ name: NAME, ciphertext }), [LOOP]: () => loop.decrypt(ofLoop) }
  for (const [name, peer] of Object.entries(peers)) {
    const sealed = await peer.encrypt(plain)
    if ((await peer.decrypt(sealed)) !== plain) throw new Error(`${name} does not decrypt what it has encrypted`)
    encrypt[name] = () => peer.encrypt(plain)
    decrypt[name] = () => peer.decrypt(sealed)
  }
  return { encrypt: await measure(loops(encrypt)), decrypt: await measure(loops(decrypt)) }
}

async function signatures({ transit }) {
  const name = 'ed25519'
  const loop = loopSigner(name)
  const input = bytes(64)
  const { signature } = await transit.sign({ name, input })
  const ofLoop = loop.sign(input)
  const sign = { [OURS]: () => transit.sign({ name, input }), [LOOP]: () => loop.sign(input) }
  const verify = { [OURS]: () => transit.verify({ name, input, signature }), [LOOP]: () => loop.verify(input, ofLoop) }
  for (const [peerName, peer] of Object.entries(await signers())) {
    const own = await peer.sign(input)
    if (!(await peer.verify(input, own))) throw new Error(`${peerName} does not verify what it has signed`)
    sign[peerName] = () => peer.sign(input)
    verify[peerName] = () => peer.verify(input, own)
  }
  return { sign: await measure(loops(sign)), verify: await measure(loops(verify)) }
}

/** A library for JWTs verifies; a login also finds out whom the token is for, and stores one of ours. */
async function logins(alg) {
  const token = signedToken(alg)
  const { jwt, pem, publicKey, signed, signature } = token
  const kernel = await openForLogins({ crypto: nodeCrypto() }, token)
  const keys = VerificationKeys.of([pem], 'pem_keys', nodeCrypto())
  const open = { key: publicKey, dsaEncoding: 'ieee-p1363' }
  const rounds = await measure(
    loops({
      [READ]: () => finish(verifySteps(parseJwt(jwt), keys)),
      [LOGIN]: () => kernel.orchestrator.login({ role: ROLE, jwt }),
      [LOOP]: () => verify('sha256', signed, open, signature),
      ...(await jwtVerifiers(token)),
    }),
  )
  await kernel.close()
  return [alg, rounds]
}

const setup = await openKernel()
const small = await encryption(setup, 32)
const large = await encryption(setup, 1024)
const signed = await signatures(setup)
await setup.kernel.close()
const loggedIn = []
for (const alg of ALGORITHMS) loggedIn.push(await logins(alg))

const rows = [
  ['encrypt, 32 B', small.encrypt],
  ['decrypt, 32 B', small.decrypt],
  ['encrypt, 1 KiB', large.encrypt],
  ['decrypt, 1 KiB', large.decrypt],
  ['sign ed25519, 64 B', signed.sign],
  ['verify ed25519, 64 B', signed.verify],
]
const peers = ['@47ng/cloak', 'jose', 'libsodium-wrappers']
const targets = ['encrypt', 'decrypt'].map((what) =>
  target(`${what}, 32 B: ${OURS} : @47ng/cloak`, small[what].speed(OURS, '@47ng/cloak'), { atLeast: 1 }, ratio),
)
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
const versions = Object.entries(dependencies).map(([name, version]) => `${name} ${version}`)
const [cpu] = cpus()
const report = `# Against other libraries

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} x ${cpu?.model.trim()}.
${versions.join(', ')}.

Plaintext to a text that can be stored, and back. ${OURS} is the typed view, awaited, with the default backend; cloak and libsodium answer
without a promise. One process, shuffled rounds; a ratio \`a : b\` says how many times as fast as b a is, the middle half of the rounds in
brackets. Times of jose depend on an idle second core.

${targetTable(targets)}

${comparison(
  rows,
  [OURS, LOOP, ...peers],
  [LOOP, ...peers].map((name) => [OURS, name]),
)}

Tokens of service accounts, with the backend over node:crypto. A login stores a token; what is read and verified is the part of it that jwtVerify of
jose does as well.

${comparison(
  loggedIn,
  [READ, LOGIN, LOOP, 'jose'],
  [
    [READ, LOOP],
    [READ, 'jose'],
    [LOGIN, 'jose'],
  ],
)}
`
console.log(report)
writeFileSync(RESULTS, report)
