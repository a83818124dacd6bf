/** The orchestrator auth method: workloads log in with the tokens of their Kubernetes service accounts. */
import type { Engine } from '../../core/contract/engine.ts'
import { configure, readConfig } from './config.ts'
import { login, renewLogin } from './login.ts'
import { deleteRole, listRoles, readRole } from './roles.ts'
import { writeRole } from './write-role.ts'

export const orchestrator = {
  type: 'orchestrator',
  aliases: ['kubernetes'],
  mounts: 'auth',
  operations: { configure, readConfig, writeRole, readRole, listRoles, deleteRole, login },
  due: {},
  logins: { renew: renewLogin },
} satisfies Engine
