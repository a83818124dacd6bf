/**
 * The orchestrator auth method as a kernel is made of it.
 */
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { OrchestratorApi } from './api.ts'
import { orchestrator as orchestratorOperations } from './index.ts'
import { LOCAL_ENVIRONMENT, TOKEN_REVIEWER } from './port.ts'

export type {} from './refusals.ts'

/** Logins of an orchestrator's service accounts. */
export interface Orchestrator extends OrchestratorApi {
  /** The same methods for an auth method of that type mounted elsewhere, such as `auth/cluster/`. */
  at(path: string): Orchestrator
}

/** What kernels with the orchestrator auth method show. */
export interface OrchestratorFacades {
  /** Logins of an orchestrator's service accounts, at `auth/orchestrator/`; `at(path)` for other mounts. */
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
