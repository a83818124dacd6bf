/** The environment of the checks; it uses only what every runtime has. */
import type { Kernel, RsaPort } from '../../../src/index.ts'

export type Library = Pick<
  typeof import('../../../src/index.ts'),
  | 'backupStorage'
  | 'copyStorage'
  | 'createDevKernel'
  | 'createKernel'
  | 'KernelError'
  | 'keySeal'
  | 'memoryStorage'
  | 'nobleCrypto'
  | 'restoreStorage'
  | 'shamirSeal'
  | 'systemClock'
>

export interface Environment {
  readonly library: Library
  /** The option `rsa`: RSA for platforms that have none. With it, the library has all of RSA. */
  readonly forge: RsaPort
  /** The RSA support that the platform should have. */
  readonly rsa: 'all' | 'whole messages' | 'none'
}

/** One complete use of the library, with a kernel of its own. */
export type Check = (environment: Environment) => Promise<void>

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
export const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
export const unhex = (digits: string): Uint8Array =>
  Uint8Array.from({ length: digits.length / 2 }, (_, index) => Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16))
export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** @throws Error unless both values have the same JSON text. */
export function same(actual: unknown, expected: unknown): void {
  const [is, expectedText] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (is !== expectedText) throw new Error(`${is} instead of ${expectedText}`)
}

export async function refused({ KernelError }: Library, code: string, work: Promise<unknown>): Promise<string> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(outcome instanceof KernelError)) throw new Error(`not refused with a KernelError: ${String(outcome)}`)
  same(outcome.code, code)
  return outcome.message
}

/** Runs `work` with a kernel and closes it afterwards. */
export async function within<T>(kernel: Promise<Kernel>, work: (kernel: Kernel) => Promise<T>): Promise<T> {
  const open = await kernel
  try {
    return await work(open)
  } finally {
    await open.close()
  }
}
