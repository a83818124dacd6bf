import { createDevKernel, KernelError } from 'strongroom'

/** Uses an AES key and an ed25519 key. Returns what must be true, by name. */
export async function roundTrip() {
  const kernel = await createDevKernel()
  const { transit } = kernel
  const plaintext = new TextEncoder().encode('a secret')

  await transit.createKey({ name: 'orders' })
  const { ciphertext } = await transit.encrypt({ name: 'orders', plaintext })
  const opened = await transit.decrypt({ name: 'orders', ciphertext })

  await transit.createKey({ name: 'receipts', type: 'ed25519' })
  const { signature } = await transit.sign({ name: 'receipts', input: plaintext })
  const valid = await transit.verify({ name: 'receipts', input: plaintext, signature })
  const changed = await transit.verify({ name: 'receipts', input: plaintext.subarray(1), signature })

  const refusal = await transit.decrypt({ name: 'missing', ciphertext }).catch((error) => error)
  await kernel.close()
  return {
    'the ciphertext has the prefix of the package': ciphertext.startsWith('strongroom:v1:'),
    'decryption returns the plaintext': new TextDecoder().decode(opened.plaintext) === 'a secret',
    'the signature is valid': valid.valid,
    'the signature of another input is invalid': !changed.valid,
    'a refusal is a KernelError': refusal instanceof KernelError,
  }
}
