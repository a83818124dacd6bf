export type {} from '../../core/jwt/token-reviewer.ts'
export type {} from './port.ts'

import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import { TOKEN_REVIEWER } from '../../core/jwt/token-reviewer.ts'
import type { OrchestratorApi } from './api.ts'
import { orchestrator as orchestratorOperations } from './index.ts'
import { LOCAL_ENVIRONMENT } from './port.ts'

export type {} from '../../core/jwt/refusals.ts'
export type {} from './refusals.ts'

/** The methods of the orchestrator auth method. */
export interface Orchestrator extends OrchestratorApi {
  /** Returns the methods for an orchestrator auth method at another mount path, such as `auth/cluster/`. */
  at(path: string): Orchestrator
}

/** The facades of a kernel with the orchestrator auth method. */
export interface OrchestratorFacades {
  /** The orchestrator auth method at `auth/orchestrator/`; `at(path)` for other mounts. */
  readonly orchestrator: Orchestrator
}

/** The auth method for Kubernetes service account tokens: `kernel.orchestrator`, at `auth/orchestrator/` in a new store. */
export const orchestrator = (): EngineValue<OrchestratorFacades> =>
  engineValue<OrchestratorFacades>({
    ...orchestratorOperations,
    ports: { tokenReviewer: TOKEN_REVIEWER, localEnvironment: LOCAL_ENVIRONMENT },
    fresh: [{ path: 'auth/orchestrator/', description: 'service accounts of an orchestrator' }],
    facades: { orchestrator: { path: 'auth/orchestrator/', operations: orchestratorOperations.operations } },
  })
