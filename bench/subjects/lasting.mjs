/** What is left behind: the heap before and after a million operations of each kind, and with 100,000 keys used in turn. */
import { nodeCrypto } from 'strongroom/crypto/node'
import { table, target } from '../report.mjs'
import { bytes, openKernel } from '../setup.mjs'

const TIMES = 1_000_000
/** Those that take hundreds of microseconds each. */
const SLOW_TIMES = 50_000
const KEYS = 100_000
const MIB = 1_048_576
/** What V8 keeps of code and shapes differs by as much from one look to the next. */
const NOISE_MIB = 3

export const title = 'What a million operations leave behind'

const mib = (value) => `${value.toFixed(1)} MiB`

/** MiB of the heap and of buffers beside it, after everything was collected that can be. */
async function held() {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    globalThis.gc()
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / MIB
}

const exactly = (value) => ({ median: value, low: value, high: value })

async function kinds() {
  const { kernel, transit, request } = await openKernel({ crypto: nodeCrypto() })
  const plaintext = bytes(32)
  const name = 'aes256-gcm96'
  const { ciphertext } = await transit.encrypt({ name, plaintext })
  const { hmac } = await transit.hmac({ name, input: plaintext })
  const { signature } = await transit.sign({ name: 'ed25519', input: plaintext })
  await kernel.kv.writeSecret({ path: 'a', data: { password: 'x' } })
  const path = request(`encrypt/${name}`, { plaintext: Buffer.from(plaintext).toString('base64') })
  const calls = {
    encrypt: [TIMES, () => transit.encrypt({ name, plaintext })],
    'encrypt by path': [TIMES, () => kernel.handle(path)],
    decrypt: [TIMES, () => transit.decrypt({ name, ciphertext })],
    rewrap: [TIMES, () => transit.rewrap({ name, ciphertext })],
    hmac: [TIMES, () => transit.hmac({ name, input: plaintext })],
    'verify an HMAC': [TIMES, () => transit.verify({ name, input: plaintext, hmac })],
    sign: [SLOW_TIMES, () => transit.sign({ name: 'ed25519', input: plaintext })],
    verify: [SLOW_TIMES, () => transit.verify({ name: 'ed25519', input: plaintext, signature })],
    'read a secret': [TIMES, () => kernel.kv.readSecret({ path: 'a' })],
    'write a secret': [TIMES / 10, () => kernel.kv.writeSecret({ path: 'a', data: { password: 'x' } })],
  }
  return { kernel, calls }
}

/** MiB that each turn through all keys leaves more. The first two fill what is kept of keys, up to its bound. */
async function keysInTurn() {
  const { kernel, transit } = await openKernel({ crypto: nodeCrypto() })
  const plaintext = bytes(32)
  for (let i = 0; i < KEYS; i++) await transit.createKey({ name: `k${i}` })
  const turns = []
  let before = await held()
  for (let turn = 0; turn < 4; turn++) {
    for (let i = 0; i < KEYS; i++) await transit.encrypt({ name: `k${i}`, plaintext })
    const after = await held()
    turns.push(after - before)
    before = after
  }
  await kernel.close()
  return turns
}

export async function run() {
  const [rows, targets] = [[], []]
  const { kernel, calls } = await kinds()
  for (const [what, [times, call]] of Object.entries(calls)) {
    for (let i = 0; i < times / 10; i++) await call()
    const before = await held()
    for (let i = 0; i < times; i++) await call()
    const grown = (await held()) - before
    rows.push([what, times.toLocaleString('en'), mib(before), mib(grown)])
    targets.push(
      target(`memory that ${times.toLocaleString('en')} times ${what} leave`, exactly(grown), { atMost: NOISE_MIB }, mib),
    )
  }
  await kernel.close()
  const turns = await keysInTurn()
  for (const [i, grown] of turns.entries())
    rows.push([`encrypt with every key of 100,000, turn ${i + 1}`, KEYS.toLocaleString('en'), '', mib(grown)])
  targets.push(
    target('memory that the fourth turn through 100,000 keys leaves', exactly(turns.at(-1)), { atMost: NOISE_MIB }, mib),
  )
  return { targets, text: table(['', 'times', 'held before', 'more behind them'], rows) }
}
