/** Data recorded from a live OpenBao server, which are stored outside of the repository. */
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { describeWithShared, hasSharedData, readSharedJson } from '../../fixtures/shared-data.ts'
import { kernelWithWrappingKey } from '../../fixtures/wrapping-kernel.ts'

const FOLDER = 'transcripts/openbao/golden/'

export const goldenPresent = hasSharedData(FOLDER)

export const golden = <T>(name: string): T => readSharedJson<T>(`${FOLDER}${name}.json`)

/** Runs the suite only if the data of that name are present. */
export const describeGolden = (name: string, title: string, suite: () => void): void =>
  describeWithShared(`${FOLDER}${name}.json`, title, suite)

const NAMING = { ciphertextPrefix: 'vault', headerPrefix: 'X-Service' } as const

/** Opens a kernel that can read Vault's ciphertexts and backups. */
export const vaultKernel = (): Promise<Kernel> => createDevKernel({ naming: NAMING })

/** Opens the same kernel with an existing wrapping key. */
export const vaultKernelForImports = (): Promise<Kernel> => kernelWithWrappingKey({ naming: NAMING })

export const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'))

export type Data = Readonly<Record<string, unknown>>
export type Texts = Readonly<Record<string, string>>
