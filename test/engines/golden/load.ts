/** Data that a live original made, read from beside the repository. Tests are skipped if it is absent, and their title gives the reason. */
import { existsSync, readFileSync } from 'node:fs'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { kernelWithWrappingKey } from '../../fixtures/wrapping-kernel.ts'

const FOLDER = new URL('../../../../shared/transcripts/openbao/golden/', import.meta.url)

export const goldenPresent = existsSync(FOLDER)
/** The end of the title of each suite. */
export const ABSENT = goldenPresent ? '' : ' (skipped: the folder shared/transcripts is absent)'

export const golden = <T>(name: string): T => JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as T

const NAMING = { ciphertext_prefix: 'vault', header_prefix: 'X-Service' } as const

/** A kernel that reads what the originals wrote. */
export const vaultKernel = (): Promise<Kernel> => createDevKernel({ naming: NAMING })

/** One that has its wrapping key already, too. */
export const vaultKernelForImports = (): Promise<Kernel> => kernelWithWrappingKey({ naming: NAMING })

export const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'))

export type Data = Readonly<Record<string, unknown>>
export type Texts = Readonly<Record<string, string>>
