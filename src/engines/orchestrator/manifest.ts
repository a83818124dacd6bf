import type { EngineManifest } from '../../core/contract/engine.ts'
import { TOKEN_REVIEWER } from '../../core/jwt/token-reviewer.ts'
import { LOCAL_ENVIRONMENT } from './port.ts'

/** The manifest of the orchestrator auth method: the facts that a kernel needs before it loads the code. */
export const ORCHESTRATOR_MANIFEST = {
  type: 'orchestrator',
  aliases: ['kubernetes'],
  mounts: 'auth',
  ports: { tokenReviewer: TOKEN_REVIEWER, localEnvironment: LOCAL_ENVIRONMENT },
  fresh: [{ path: 'auth/orchestrator/', description: 'service accounts of an orchestrator' }],
  logins: true,
  facades: {
    orchestrator: {
      path: 'auth/orchestrator/',
      shape: { methods: ['configure', 'readConfig', 'writeRole', 'readRole', 'listRoles', 'deleteRole', 'login'] },
    },
  },
} satisfies EngineManifest
