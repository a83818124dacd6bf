import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import { generateOperationToken, generateTokenPathOperations, generateRoot as rootToken } from './index.ts'
import type { GenerateOperationToken } from './operation-token-api.ts'
import type { GenerateRoot } from './root-api.ts'

export type { GenerateOperationToken, GenerateRoot }

/** The facades of kernels that can create tokens with key shares. */
export interface GenerateRootFacades {
  /** Creating a root token with enough key shares: call `init`, then `update` with each share. */
  readonly generateRoot: GenerateRoot
  /** Like `generateRoot`, for a token that only permits disaster recovery operations. */
  readonly generateOperationToken: GenerateOperationToken
}

const PART = engineValue<GenerateRootFacades>({
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: generateTokenPathOperations,
  due: {},
  facades: {
    generateRoot: { path: 'sys/', operations: rootToken },
    generateOperationToken: { path: 'sys/', operations: generateOperationToken },
  },
})

/** Tokens created with key shares: `sys/generate-root`, `kernel.generateRoot` and `kernel.generateOperationToken`. */
export const generateRoot = (): EngineValue<GenerateRootFacades> => PART
