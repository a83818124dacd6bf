/**
 * The orchestrator auth method as a kernel is made of it.
 */
import { type EngineValue, engineValue, type Mounted } from '../../core/contract/engine.ts'
import { orchestrator as orchestratorOperations } from './index.ts'
import { LOCAL_ENVIRONMENT, TOKEN_REVIEWER } from './port.ts'

export type {} from './refusals.ts'

/** Logins of an orchestrator's service accounts. */
export type Orchestrator = Mounted<typeof orchestratorOperations.operations>

/** Logins with the service account tokens of an orchestrator: `kernel.orchestrator`, at `auth/orchestrator/` in a fresh store. */
export const orchestrator = (): EngineValue<{ orchestrator: Orchestrator }> =>
  engineValue<{ orchestrator: Orchestrator }>({
    ...orchestratorOperations,
    ports: { tokenReviewer: TOKEN_REVIEWER, localEnvironment: LOCAL_ENVIRONMENT },
    fresh: [{ path: 'auth/orchestrator/', description: 'service accounts of an orchestrator' }],
    facades: { orchestrator: { path: 'auth/orchestrator/', operations: orchestratorOperations.operations } },
  })
