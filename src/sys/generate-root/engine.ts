import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import { CONTROLS } from '../../core/kernel/controls.ts'
import { TOKEN_ATTEMPTS, TokenAttempts } from '../../core/seal/attempt/token-attempts.ts'
import type { GenerateOperationToken } from './generated/operation-token-api.ts'
import type { GenerateRoot } from './generated/root-api.ts'
import { generateOperationToken, generateTokenPathOperations, generateRoot as rootToken } from './index.ts'

export type { GenerateOperationToken, GenerateRoot }

/** The facades of kernels that can create tokens with key shares. */
export interface GenerateRootFacades {
  /** Creating a root token with enough key shares: call `init`, then `update` with each share. */
  readonly generateRoot: GenerateRoot
  /** Like `generateRoot`, for a token that only permits disaster recovery operations. */
  readonly generateOperationToken: GenerateOperationToken
}

const PART = engineValue<GenerateRootFacades>({
  part: 'generateRoot',
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: generateTokenPathOperations,
  due: {},
  attach: ({ host, keeper, topology, call }: KernelInternals) => {
    const { recipients } = CONTROLS.of(host).sealing
    TOKEN_ATTEMPTS.install(host.env, new TokenAttempts({ keeper, recipients, host, topology, call }))
  },
  facades: {
    generateRoot: { path: 'sys/', operations: rootToken },
    generateOperationToken: { path: 'sys/', operations: generateOperationToken },
  },
})

/** Tokens created with key shares: `sys/generate-root`, `kernel.generateRoot` and `kernel.generateOperationToken`. */
export const generateRoot = (): EngineValue<GenerateRootFacades> => PART
