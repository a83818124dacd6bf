/**
 * What an audit sink adds to a call, beside the HMACs it cannot do without: of the two values of the call, plaintext and ciphertext, and of
 * the two lines that the chain holds together. The sink takes entries at once and keeps none.
 */
import { nobleCrypto } from '../../dist/core/crypto/noble/index.js'
import { measure } from '../measure.mjs'
import { ratio, table, target, timeCell } from '../report.mjs'
import { base64, bytes, checked, openKernel } from '../setup.mjs'

const NAME = 'aes256-gcm96'

export const title = 'Audit: encrypt of 32 B with a sink and without'

export async function run() {
  const plain = await openKernel()
  let lines = []
  const sink = { write() {}, writeSync: ({ line }) => void (lines.length < 2 && lines.push(line)) }
  const audited = await openKernel({ ports: { audit: { sinks: { sink } } } })
  const plaintext = bytes(32)
  const body = { plaintext: base64(plaintext) }
  const calls = { plain: plain.request(`encrypt/${NAME}`, body), audited: audited.request(`encrypt/${NAME}`, body) }
  const hmac = nobleCrypto().hmac('sha2-256', bytes(36))
  const text = new TextEncoder()
  const hash = (value) => `hmac-sha256:${Buffer.from(hmac.mac(text.encode(value))).toString('hex')}`
  /** The texts that are hashed in one call. */
  const texts = async (call) => {
    lines = []
    const { ciphertext } = await call()
    return [body.plaintext, ciphertext, ...lines.map((line) => line.slice(0, line.lastIndexOf(',"mac"')))]
  }
  const typedTexts = await texts(() => audited.transit.encrypt({ name: NAME, plaintext }))
  const pathTexts = await texts(() => checked(audited.kernel, calls.audited))
  const hashes = (all) => (n) => {
    for (let i = 0; i < n; i++) for (const each of all) hash(each)
  }
  const rounds = await measure({
    typed: async (n) => {
      for (let i = 0; i < n; i++) await plain.transit.encrypt({ name: NAME, plaintext })
    },
    'typed, audited': async (n) => {
      for (let i = 0; i < n; i++) await audited.transit.encrypt({ name: NAME, plaintext })
    },
    'typed, HMACs': hashes(typedTexts),
    path: async (n) => {
      for (let i = 0; i < n; i++) await plain.kernel.handle(calls.plain)
    },
    'path, audited': async (n) => {
      for (let i = 0; i < n; i++) await audited.kernel.handle(calls.audited)
    },
    'path, HMACs': hashes(pathTexts),
  })
  await plain.kernel.close()
  await audited.kernel.close()
  const added = (view) => rounds.added(`${view}, audited`, view, `${view}, HMACs`)
  const targets = ['typed', 'path'].map((view) =>
    target(`what audit adds to a ${view} encrypt : its four HMACs`, added(view), { atMost: 1.65 }, ratio),
  )
  const names = ['alone', 'audited', 'four HMACs', 'added']
  const rows = ['typed', 'path'].map((view) => [
    view,
    timeCell(rounds.time(view)),
    timeCell(rounds.time(`${view}, audited`)),
    timeCell(rounds.time(`${view}, HMACs`)),
    timeCell(rounds.extra(`${view}, audited`, view)),
  ])
  return { targets, text: table(['view', ...names], rows) }
}
