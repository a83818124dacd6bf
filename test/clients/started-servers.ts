/** The servers of `servers.ts`, each started by the program `strongroom`. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import nodeVault from 'node-vault'
import { programPath, projectFolder } from '../cli/installed-program.ts'
import type { Serving } from './serve.ts'
import type { Servers } from './servers.ts'

/** A store in memory, as an application configures it. */
const CONFIG = `import { memoryStorage, shamirSeal } from 'strongroom'
import { kubernetesTokenReviewer } from 'strongroom/orchestrator/kubernetes'

export default {
  storage: memoryStorage(),
  seal: shamirSeal(),
  initialize: false,
  naming: { ciphertextPrefix: 'vault', headerPrefix: 'X-Vault' },
  ports: { tokenReviewer: kubernetesTokenReviewer() },
}
`

/** Starts `strongroom serve` at a free port, in a folder with `CONFIG`. */
export async function start(...args: readonly string[]): Promise<Serving> {
  const cwd = projectFolder()
  writeFileSync(join(cwd, 'strongroom.config.mjs'), CONFIG)
  const command = spawn(process.execPath, [programPath(), 'serve', ...args, '--port', '0'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const close = async (): Promise<void> => {
    if (command.exitCode !== null) return
    command.kill()
    await once(command, 'exit')
  }
  let output = ''
  for await (const chunk of command.stdout) {
    output += String(chunk)
    const [endpoint] = /http:\/\/\S+/.exec(output) ?? []
    if (endpoint) return { endpoint, close }
  }
  throw new Error(`the command ended: ${output}`)
}

export const started: Servers = {
  async ready() {
    const token = randomUUID()
    const serving = await start('--dev', '--token', token)
    // A Vault server in development mode has KV version 2 at secret/, and no transit.
    const client = nodeVault({ endpoint: serving.endpoint, token })
    await client.unmount({ mount_point: 'secret' })
    await client.mount({ mount_point: 'secret', type: 'kv', options: { version: '1' } })
    await client.mount({ mount_point: 'transit', type: 'transit' })
    return { ...serving, token }
  },
  uninitialized: () => start(),
}
