/** The orchestrator auth method as a value for a kernel, with its typed facade. */
export type {} from '../../core/jwt/token-reviewer.ts'
export type {} from './port.ts'

import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import { TOKEN_REVIEWER } from '../../core/jwt/token-reviewer.ts'
import type { OrchestratorApi } from './api.ts'
import { orchestrator as orchestratorOperations } from './index.ts'
import { LOCAL_ENVIRONMENT } from './port.ts'

export type {} from '../../core/jwt/refusals.ts'
export type {} from './refusals.ts'

/** Logins with service accounts of an orchestrator. */
export interface Orchestrator extends OrchestratorApi {
  /** The same methods for an auth method of this type mounted elsewhere, such as `auth/cluster/`. */
  at(path: string): Orchestrator
}

/** The facades on kernels with the orchestrator auth method. */
export interface OrchestratorFacades {
  /** Logins with service accounts of an orchestrator, at `auth/orchestrator/`; `at(path)` for other mounts. */
  readonly orchestrator: Orchestrator
}

/** Logins with the service account tokens of an orchestrator: `kernel.orchestrator`, at `auth/orchestrator/` in a fresh store. */
export const orchestrator = (): EngineValue<OrchestratorFacades> =>
  engineValue<OrchestratorFacades>({
    ...orchestratorOperations,
    ports: { tokenReviewer: TOKEN_REVIEWER, localEnvironment: LOCAL_ENVIRONMENT },
    fresh: [{ path: 'auth/orchestrator/', description: 'service accounts of an orchestrator' }],
    facades: { orchestrator: { path: 'auth/orchestrator/', operations: orchestratorOperations.operations } },
  })
