/** Uses keys of several types, closes the kernel, writes a heap snapshot, and sends the random bytes from which the keys were made. */
import { writeHeapSnapshot } from 'node:v8'
import { createKernel, type Entropy, keySeal, memoryStorage, systemEntropy } from '../../src/index.ts'
import { childArguments, send } from '../fixtures/child-side.ts'

const { path } = childArguments<{ path: string }>()
const KEY_BYTES = 32
const inner = systemEntropy()
const drawn: Uint8Array[] = []
const entropy: Entropy = {
  bytes: (n) => {
    const bytes = inner.bytes(n)
    if (n === KEY_BYTES) drawn.push(bytes.slice())
    return bytes
  },
}
const kernel = await createKernel({
  storage: memoryStorage(),
  seal: keySeal(entropy.bytes(KEY_BYTES)),
  entropy,
  initialize: true,
})
const text = new TextEncoder().encode('a value')
const context = new TextEncoder().encode('row 1')
for (const type of ['aes256-gcm96', 'chacha20-poly1305', 'xchacha20-poly1305'] as const)
  for (const derived of [true, false]) {
    const name = `${type}-${derived}`
    await kernel.transit.createKey({ name, type, derived })
    for (let call = 0; call < 20; call++) {
      const { ciphertext } = await kernel.transit.encrypt({ name, plaintext: text, ...(derived && { context }) })
      await kernel.transit.decrypt({ name, ciphertext, ...(derived && { context }) })
    }
    await kernel.transit.hmac({ name, input: text })
    await kernel.transit.rotateKey({ name })
  }
for (const type of ['ed25519', 'ecdsa-p256', 'hmac'] as const) {
  await kernel.transit.createKey({ name: type, type, ...(type === 'hmac' && { key_size: KEY_BYTES }) })
  if (type === 'hmac') await kernel.transit.hmac({ name: type, input: text })
  else await kernel.transit.sign({ name: type, input: text })
}
await kernel.close()
/** A string that the snapshot must contain, so that the test shows that it would find one. */
const kept = Buffer.from(inner.bytes(KEY_BYTES)).toString('base64')
writeHeapSnapshot(path)
send({ drawn: drawn.map((bytes) => Buffer.from(bytes).toString('hex')), kept })
