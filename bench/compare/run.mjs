/**
 * Against other libraries, in one process. `npm install` in this folder, then `node bench/compare/run.mjs` writes RESULTS.md beside it.
 */
import { verify } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { nodeCrypto } from '../../dist/adapters/crypto-node/index.js'
import { Allowance } from '../../dist/core/base/allowance.js'
import { systemClock } from '../../dist/core/base/clock.js'
import { runToEnd } from '../../dist/core/base/steps.js'
import { parseJwt } from '../../dist/core/jwt/jwt.js'
import { VerificationKeys } from '../../dist/core/jwt/verification-keys.js'
import { verifySteps, WRONG_SIGNATURES } from '../../dist/core/jwt/verify.js'
import { measure } from '../measure.mjs'
import { loopCipher, loopSigner } from '../node-loop.mjs'
import { comparison, ratio, target, targetTable } from '../report.mjs'
import { ALGORITHMS, openForLogins, ROLE, signedToken } from '../service-accounts.mjs'
import { bytes, openKernel } from '../setup.mjs'
import { ciphers, jwtVerifiers, signers } from './peers.mjs'

const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url))
const OURS = 'strongroom'
const OURS_ON_NODE = 'strongroom, nodeCrypto()'
const LOOP = 'node:crypto loop'
/** With OpenSSL as the backend, which jose has, too. */
const READ = 'read and verified'
const LOGIN = 'login'
const NAME = 'aes256-gcm96'
const SIZES = { '32 B': 32, '1 KiB': 1024, '16 KiB': 16_384, '1 MiB': 1_048_576 }
/** Calls under way at the same time, and items of a batch. */
const AT_ONCE = 64
const ITEMS = 100
/** Of long texts as many as come to so many bytes together. */
const MOST_BYTES = 8_388_608
const asMany = (most, size) => Math.min(most, Math.floor(MOST_BYTES / size))
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

/** What each encrypts and decrypts: name to `{ encrypt(), decrypt() }` of one text. */
async function subjects(kernels, peers, size) {
  const loop = loopCipher('aes-256-gcm')
  const plain = 'x'.repeat(size)
  const plaintext = utf8.encode(plain)
  const ofLoop = loop.encrypt(plaintext)
  const calls = {}
  for (const [name, { transit }] of Object.entries(kernels)) {
    const { ciphertext } = await transit.encrypt({ name: NAME, plaintext })
    calls[name] = {
      encrypt: () => transit.encrypt({ name: NAME, plaintext }),
      decrypt: () => transit.decrypt({ name: NAME, ciphertext }),
    }
  }
  calls[LOOP] = { encrypt: () => loop.encrypt(plaintext), decrypt: () => loop.decrypt(ofLoop) }
  for (const [name, peer] of Object.entries(peers)) {
    const sealed = await peer.encrypt(plain)
    if ((await peer.decrypt(sealed)) !== plain) throw new Error(`${name} does not decrypt what it has encrypted`)
    calls[name] = { encrypt: () => peer.encrypt(plain), decrypt: () => peer.decrypt(sealed) }
  }
  return calls
}

const only = (calls, what) => Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, call[what]]))

/** Times are of `count` calls that are begun together. */
const together = (calls, count) =>
  Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      async (n) => {
        for (let i = 0; i < n; i++) await Promise.all(Array.from({ length: count }, call))
      },
    ]),
  )

/** Ours in one call, the others one after the other. */
async function batches(kernels, calls, size, count) {
  const batch_input = Array.from({ length: count }, () => ({ plaintext: utf8.encode('x'.repeat(size)) }))
  const all = {}
  for (const [name, { transit }] of Object.entries(kernels)) all[name] = () => transit.encryptBatch({ name: NAME, batch_input })
  const others = Object.entries(calls).filter(([name]) => !(name in kernels))
  for (const [name, { encrypt }] of others)
    all[name] = async () => {
      for (let i = 0; i < count; i++) await encrypt()
    }
  return measure(loops(all))
}

async function encryption(kernels) {
  const peers = await ciphers()
  const rows = []
  for (const [size, bytes] of Object.entries(SIZES)) {
    const calls = await subjects(kernels, peers, bytes)
    for (const what of ['encrypt', 'decrypt']) rows.push([`${what}, ${size}`, await measure(loops(only(calls, what)))])
    const [atOnce, items] = [asMany(AT_ONCE, bytes), asMany(ITEMS, bytes)]
    rows.push([`encrypt, ${size}, ${atOnce} at once`, await measure(together(only(calls, 'encrypt'), atOnce))])
    rows.push([`encrypt, ${size}, ${items} in a batch`, await batches(kernels, calls, bytes, items)])
  }
  return rows
}

async function signatures(kernels) {
  const name = 'ed25519'
  const loop = loopSigner(name)
  const input = bytes(64)
  const ofLoop = loop.sign(input)
  const sign = { [LOOP]: () => loop.sign(input) }
  const verify = { [LOOP]: () => loop.verify(input, ofLoop) }
  for (const [ourName, { transit }] of Object.entries(kernels)) {
    const { signature } = await transit.sign({ name, input })
    sign[ourName] = () => transit.sign({ name, input })
    verify[ourName] = () => transit.verify({ name, input, signature })
  }
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
  const allowance = new Allowance(systemClock, WRONG_SIGNATURES.perSecond, WRONG_SIGNATURES.most)
  const open = { key: publicKey, dsaEncoding: 'ieee-p1363' }
  const rounds = await measure(
    loops({
      [READ]: () => runToEnd(verifySteps(parseJwt(jwt), keys, allowance)),
      [LOGIN]: () => kernel.orchestrator.login({ role: ROLE, jwt }),
      [LOOP]: () => verify('sha256', signed, open, signature),
      ...(await jwtVerifiers(token)),
    }),
  )
  await kernel.close()
  return [alg, rounds]
}

const kernels = { [OURS]: await openKernel(), [OURS_ON_NODE]: await openKernel({ crypto: nodeCrypto() }) }
const encrypted = await encryption(kernels)
const signed = await signatures(kernels)
for (const { kernel } of Object.values(kernels)) await kernel.close()
const loggedIn = []
for (const alg of ALGORITHMS) loggedIn.push(await logins(alg))

const rows = [...encrypted, ['sign ed25519, 64 B', signed.sign], ['verify ed25519, 64 B', signed.verify]]
const ASYNC = ['@47ng/cloak', 'jose', 'tink-crypto', '@hapi/iron', 'iron-webcrypto', 'age-encryption', '@aws-crypto/client-node']
const peers = ['@47ng/cloak', '@47ng/cloak, sync', ...ASYNC.slice(1), 'libsodium-wrappers']

/** Against the quickest of those that answer with a promise. */
function compareWithBest(label, name, atLeast) {
  const rounds = encrypted.find(([row]) => row === label)[1]
  const times = ASYNC.map((peer) => [peer, rounds.time(peer).median]).sort(([, a], [, b]) => a - b)
  const [quickest] = times[0]
  return target(`${label}: ${name} : ${quickest}, the quickest with a promise`, rounds.speed(name, quickest), { atLeast }, ratio)
}
const targets = [
  compareWithBest('encrypt, 32 B', OURS, 1.7),
  compareWithBest('decrypt, 32 B', OURS, 1.7),
  compareWithBest('encrypt, 32 B', OURS_ON_NODE, 1.4),
  compareWithBest('decrypt, 32 B', OURS_ON_NODE, 1.4),
  compareWithBest('encrypt, 1 KiB', OURS, 0.6),
  compareWithBest('decrypt, 1 KiB', OURS, 0.6),
  compareWithBest('encrypt, 1 KiB', OURS_ON_NODE, 1.8),
  compareWithBest('decrypt, 1 KiB', OURS_ON_NODE, 1.4),
]
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
const versions = Object.entries(dependencies).map(([name, version]) => `${name} ${version}`)
const [cpu] = cpus()
const report = `# Against other libraries

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} x ${cpu?.model.trim()}.
${versions.join(', ')}.

Each candidate encrypts a plaintext to a string that can be stored, or decrypts such a string. ${OURS} means its typed methods, awaited, with the default backend. The synchronous functions of cloak and
libsodium return no promise. "At once" is the time of that number of calls started together. "In a batch" is one call for ${OURS}, and that number of calls for the others. One process runs all candidates in rounds, in a random order in each round. A ratio \`a : b\` is the speed of a divided by the speed of b, with the middle half of the rounds in
parentheses. Times of jose depend on an idle second core.

${targetTable(targets)}

${comparison(
  rows,
  [OURS, OURS_ON_NODE, LOOP, ...peers],
  [LOOP, ...peers].map((name) => [OURS, name]),
)}

This table is about service account tokens, with the backend of \`nodeCrypto()\`. A login also creates and stores a token of the kernel. "Read and verified" is only the part of a login that jwtVerify of
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
