/**
 * A cluster of etcd on loopback for the length of a subject: from `ETCD`, or the `etcd` of the path.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonClient } from './json-client.mjs'

const PATIENCE_MS = 30_000
const binary = process.env.ETCD ?? 'etcd'

/** Why no cluster can be started here; undefined where one can. */
export const missing = (() => {
  try {
    execFileSync(binary, ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'there is no etcd here (give `ETCD`)'
  }
})()

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

export async function startMembers(size) {
  const home = mkdtempSync(join(tmpdir(), 'strongroom-bench-'))
  const ports = await Promise.all(Array.from({ length: size * 2 }, freePort))
  const hosts = ports.slice(0, size).map((port) => `http://127.0.0.1:${port}`)
  const peers = ports.slice(size).map((port) => `http://127.0.0.1:${port}`)
  const cluster = peers.map((peer, at) => `m${at}=${peer}`).join(',')
  const running = new Map()
  const client = jsonClient()

  function start(at, state = 'existing') {
    const args = [
      ...['--name', `m${at}`, '--data-dir', join(home, `m${at}`), '--log-level', 'error', '--logger', 'zap'],
      ...['--listen-client-urls', hosts[at], '--advertise-client-urls', hosts[at]],
      ...['--listen-peer-urls', peers[at], '--initial-advertise-peer-urls', peers[at]],
      ...['--initial-cluster', cluster, '--initial-cluster-state', state],
    ]
    running.set(at, spawn(binary, args, { stdio: 'ignore' }))
  }

  async function kill(at) {
    const child = running.get(at)
    running.delete(at)
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  async function leads(at) {
    try {
      const { leader, header } = await client.ask(hosts[at], '/v3/maintenance/status', {}, 200)
      return leader === header.member_id
    } catch {
      return false
    }
  }

  /** The member that leads, once one does. */
  async function leader() {
    for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(5)) {
      for (const at of running.keys()) if (await leads(at)) return at
    }
    throw new Error('the cluster has no leader')
  }

  const end = () => {
    for (const child of running.values()) child.kill('SIGKILL')
  }
  process.once('exit', end)
  for (let at = 0; at < size; at++) start(at, 'new')
  await leader()
  return {
    hosts,
    start,
    kill,
    leader,
    async stop() {
      for (const at of [...running.keys()]) await kill(at)
      process.removeListener('exit', end)
      client.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
