/** The servers of this benchmark: a dev server of this package, and the program that the variable BAO_BIN names, in development mode. */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {object} Program
 * @property {string} address
 * @property {string} token
 * @property {() => Promise<void>} begin Begins to observe the event loop.
 * @property {() => Promise<{ p50: number, p99: number, max: number } | undefined>} end Its delays in milliseconds, if it has one.
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<Program>} */
export async function startDevServer() {
  const child = fork(fileURLToPath(new URL('dev-server.mjs', import.meta.url)))
  const ask = async (message) => {
    child.send(message)
    const [answer] = await once(child, 'message')
    return answer
  }
  const [{ address, token }] = await once(child, 'message')
  return {
    address,
    token,
    begin: async () => void (await ask('begin')),
    end: () => ask('end'),
    stop: async () => {
      child.send('stop')
      await once(child, 'exit')
    },
  }
}

/**
 * @param {string} program The path of a `bao` or `vault`.
 * @returns {Promise<Program>}
 */
export async function startProgram(program) {
  const port = await freePort()
  const token = 'root'
  const child = spawn(
    program,
    ['server', '-dev', `-dev-root-token-id=${token}`, `-dev-listen-address=127.0.0.1:${port}`, '-dev-no-store-token'],
    {
      stdio: 'ignore',
    },
  )
  const address = `http://127.0.0.1:${port}`
  while (!(await isReady(address))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`)
    await pause(50)
  }
  const stop = async () => {
    child.kill()
    await once(child, 'exit')
  }
  return { address, token, begin: async () => {}, end: async () => undefined, stop }
}

async function isReady(address) {
  try {
    return (await fetch(`${address}/v1/sys/health`)).status === 200
  } catch {
    return false
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
