/** Data that a live original made, read from beside the repository. Tests skip and say so where it is absent. */
import { existsSync, readFileSync } from 'node:fs'
import { createDevKernel, type Kernel } from '../../../src/index.ts'

const FOLDER = new URL('../../../../shared/transcripts/openbao/golden/', import.meta.url)

export const goldenPresent = existsSync(FOLDER)
export const ABSENT = '(skipped: the folder shared/transcripts is absent)'

export const golden = <T>(name: string): T => JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as T

/** A kernel that reads what the originals wrote. */
export const vaultKernel = (): Promise<Kernel> =>
  createDevKernel({ naming: { ciphertext_prefix: 'vault', header_prefix: 'X-Service' } })

export const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'))

export type Data = Readonly<Record<string, unknown>>
export type Texts = Readonly<Record<string, string>>
