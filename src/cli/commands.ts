/** All commands, in the order of the help. */

import type { CommandDefinition } from './command.ts'
import { command } from './command.ts'
import { auditVerify, auditWho } from './commands/audit.ts'
import { backup, restore } from './commands/backup.ts'
import { copy } from './commands/copy.ts'
import { doctor } from './commands/doctor.ts'
import { init } from './commands/init.ts'
import { inspect } from './commands/inspect.ts'
import { keysConfig, keysCreate, keysList, keysRotate, keysShow, keysTrim } from './commands/keys.ts'
import { kvGet, kvList, kvPut } from './commands/kv.ts'
import { migrate } from './commands/migrate.ts'
import { policyCheck, policyExplain, policyFormat } from './commands/policy.ts'
import { rekey } from './commands/rekey.ts'
import { replicationStatus } from './commands/replication-status.ts'
import { rewrap } from './commands/rewrap.ts'
import { serve } from './commands/serve.ts'
import { status } from './commands/status.ts'
import { tokenCreate, tokenLookup, tokenRevoke } from './commands/token.ts'
import { unseal } from './commands/unseal.ts'
import { completionScript, SHELLS, type Shell } from './completion.ts'

const completion = command({
  name: 'completion',
  summary: 'Write the completion script of a shell to standard output',
  positionals: [{ name: 'shell', summary: 'The shell', choices: SHELLS }],
  example: 'completion bash > /etc/bash_completion.d/strongroom',
  async run({ args }) {
    const script = completionScript(args[0] as Shell, COMMANDS)
    return { data: { script }, text: script.trimEnd() }
  },
})

export const COMMANDS: readonly CommandDefinition[] = [
  init,
  status,
  doctor,
  unseal,
  rekey,
  keysList,
  keysShow,
  keysCreate,
  keysRotate,
  keysConfig,
  keysTrim,
  inspect,
  rewrap,
  kvGet,
  kvPut,
  kvList,
  policyExplain,
  policyFormat,
  policyCheck,
  tokenCreate,
  tokenLookup,
  tokenRevoke,
  auditVerify,
  auditWho,
  backup,
  restore,
  copy,
  migrate,
  replicationStatus,
  serve,
  completion,
]
