import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { referenceMs } from '../../fixtures/calibration.ts'
import { kernelWithWrappingKey } from '../../fixtures/wrapping-kernel.ts'
import { type Answer, ask, base64, bytesOf } from '../../property/support.ts'
import { importByPath, wrapped, wrappingKey } from '../import-blob.ts'
import { backupText, refused, restoreText } from './refusals.ts'

const MAX_MS = 500

let kernel: Kernel
beforeAll(async () => {
  kernel = await kernelWithWrappingKey()
})
afterAll(() => kernel.close())

const restore = (text: string) => (): Promise<Answer> => restoreText(kernel, text)
const publicKey = (public_key: string) => (): Promise<Answer> =>
  ask(kernel, 'POST', 'keys/public/import', { type: 'ecdsa-p256', public_key })

const REFUSED: readonly (readonly [what: string, call: () => Promise<Answer>])[] = [
  ...['[', '{"a":', '{"policy":{"keys":'].map(
    (open) => [`300,000 repetitions of ${open}`, restore(open.repeat(300_000))] as const,
  ),
  ...['{}', '""', '0', '[]'].map(
    (item) => [`an array of 3,000,000 values ${item}`, restore(`[${`${item},`.repeat(3_000_000)}0]`)] as const,
  ),
  ['a number of 1,000,000 digits', restore(`{"policy":{"name":"x","type":${'9'.repeat(1_000_000)}}}`)],
  ['500,000 escapes', restore(`{"policy":{"name":"${'\\\\'.repeat(500_000)}"}}`)],
  ['200,001 quotation marks', restore(`{"policy":${'"'.repeat(200_001)}}`)],
  ['2^52 missing versions', restore(backupText({ policy: { latest_version: 2 ** 52 } }))],
  ['20,000 archived versions', restore(backupText({ archived_keys: { keys: new Array(20_000).fill({}) }, keys: {} }))],
  ['a coordinate of 10,000 digits', restore(backupText({ policy: { type: 1 }, version: { ec_x: `#${10n ** 10_000n}` } }))],
  [
    'a wrapped key followed by 1,000,000 bytes',
    async () => {
      const ciphertext = Buffer.concat([wrapped(await wrappingKey(kernel), bytesOf(32, 1)), new Uint8Array(1_000_000)])
      return ask(kernel, 'POST', 'keys/imported/import', { type: 'aes256-gcm96', ciphertext: base64(ciphertext) })
    },
  ],
  [
    'nested DER of 8,000 bytes',
    () => importByPath(kernel, 'imported', 'ecdsa-p256', Buffer.alloc(8000, Buffer.from([0x30, 0x80]))),
  ],
  ['a PEM of 1,000,000 letters', publicKey(`-----BEGIN A-----\n${'A'.repeat(1_000_000)}\n-----END A-----`)],
  ['60,000 lines', publicKey('\n'.repeat(60_000))],
]

it.each(REFUSED)(`transit refuses a request with %s within ${MAX_MS} ms`, async (_, call) => {
  expect(await referenceMs(() => refused(kernel, call), MAX_MS)).toBeLessThan(MAX_MS)
})
