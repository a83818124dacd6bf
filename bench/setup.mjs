/**
 * The kernel all subjects measure, with the keys they use, and the inputs.
 */
import { randomBytes } from 'node:crypto'
import { createDevKernel } from 'strongroom'

export const SIZES = { '32 B': 32, '1 KiB': 1024, '64 KiB': 65_536, '1 MiB': 1_048_576 }
const TYPES = ['aes256-gcm96', 'chacha20-poly1305', 'hmac', 'ed25519', 'ecdsa-p256', 'ecdsa-p384', 'ecdsa-p521', 'rsa-2048']

/** A kernel in memory with one key per type, named like it, and `path` for requests with the root token. */
export async function openKernel(options = {}) {
  const kernel = await createDevKernel(options)
  for (const type of TYPES) await kernel.transit.createKey({ name: type, type })
  const headers = { 'X-Service-Token': kernel.rootToken }
  const request = (path, body) => ({ method: 'POST', path: `/v1/transit/${path}`, headers, body })
  return { kernel, transit: kernel.transit, request }
}

/** Bytes in a buffer of their own, as they come from a caller. */
export const bytes = (length) => new Uint8Array(randomBytes(length))

export const base64 = (data) => Buffer.from(data).toString('base64')

/** A path request that must succeed, so that no table shows how fast refusals are. */
export async function checked(kernel, request) {
  const { status, body } = await kernel.handle(request)
  if (status !== 200) throw new Error(`${request.path}: ${status} ${JSON.stringify(body)}`)
  return body.data
}

const READS = ['get', 'getMany', 'getSync', 'scan', 'list']

/** A storage that counts what is asked of it. */
export function counting(storage) {
  const counts = { calls: 0, reads: 0, commits: 0 }
  const wrapped = { caps: storage.caps }
  for (const method of [...READS, 'commit', 'revision', 'watch', 'close']) {
    if (!storage[method]) continue
    wrapped[method] = (...args) => {
      counts.calls++
      if (READS.includes(method)) counts.reads++
      if (method === 'commit') counts.commits++
      return storage[method](...args)
    }
  }
  return { storage: wrapped, counts }
}
