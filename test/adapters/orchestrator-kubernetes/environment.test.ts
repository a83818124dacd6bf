import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kubernetesEnvironment } from '../../../src/adapters/orchestrator-kubernetes/index.ts'
import type { LocalEnvironment } from '../../../src/engines/orchestrator/port.ts'

const { signal } = new AbortController()
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

let directory: string
let time: number
let pod: LocalEnvironment
const write = (name: string, text: string): void => writeFileSync(join(directory, name), text)
const caCert = (): Promise<string | null> => pod.caCert(signal)
const token = (): Promise<string | null> => pod.serviceAccountToken(signal)

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'strongroom-pod-'))
  time = Date.UTC(2026, 0, 1)
  pod = kubernetesEnvironment({ directory, now: () => time })
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

describe('kubernetesEnvironment', () => {
  it('returns the contents of its files without surrounding white space', async () => {
    write('ca.crt', '-----BEGIN CERTIFICATE-----\n')
    write('token', 'a.b.c\n')
    expect(await caCert()).toBe('-----BEGIN CERTIFICATE-----')
    expect(await token()).toBe('a.b.c')
  })

  it('caches the certificate for an hour and the token for a minute', async () => {
    write('ca.crt', 'ca 1')
    write('token', 'token 1')
    await Promise.all([caCert(), token()])
    write('ca.crt', 'ca 2')
    write('token', 'token 2')
    time += MINUTE_MS - 1
    expect(await Promise.all([caCert(), token()])).toEqual(['ca 1', 'token 1'])
    time += 1
    expect(await Promise.all([caCert(), token()])).toEqual(['ca 1', 'token 2'])
    time += HOUR_MS - MINUTE_MS - 1
    expect(await caCert()).toBe('ca 1')
    time += 1
    expect(await caCert()).toBe('ca 2')
  })

  it('reads a file again after the clock is set back', async () => {
    write('token', 'token 1')
    await token()
    write('token', 'token 2')
    time -= 1
    expect(await token()).toBe('token 2')
  })

  it.skipIf(process.platform === 'win32')(
    'reads a file once for concurrent callers (not on Windows: the test reads a named pipe)',
    async () => {
      execFileSync('mkfifo', [join(directory, 'token')])
      const reads = [token(), token(), token()]
      // The contents of a pipe can be read only once, so a second reader would find it empty.
      await writeFile(join(directory, 'token'), 'token 1')
      expect(await Promise.all(reads)).toEqual(['token 1', 'token 1', 'token 1'])
    },
  )

  it('returns null outside of a pod, and the contents of the files once they exist', async () => {
    expect(await Promise.all([caCert(), token()])).toEqual([null, null])
    const nowhere = kubernetesEnvironment({ directory: join(directory, 'no', 'such', 'folder') })
    expect(await nowhere.caCert(signal)).toBeNull()
    write('file', '')
    expect(await kubernetesEnvironment({ directory: join(directory, 'file') }).serviceAccountToken(signal)).toBeNull()
    write('token', 'now')
    expect(await token()).toBe('now')
  })

  it('returns null once a cached value has expired and its file was deleted', async () => {
    write('token', 'token 1')
    await token()
    rmSync(join(directory, 'token'))
    time += MINUTE_MS
    expect(await token()).toBeNull()
    time -= MINUTE_MS
    expect(await token()).toBeNull()
  })

  it.each([
    ['a folder', () => mkdirSync(join(directory, 'token')), 'EISDIR'],
    ['empty', () => write('token', ' \n'), 'the file is empty'],
  ])('rejects if the file is %s, and reads the file again at the next call', async (_, make, why) => {
    make()
    await expect(token()).rejects.toThrow(why)
    await expect(token()).rejects.toThrow(join(directory, 'token'))
    rmSync(join(directory, 'token'), { recursive: true })
    write('token', 'better')
    expect(await token()).toBe('better')
  })

  it('rejects if the signal is already aborted', async () => {
    write('token', 'token 1')
    await expect(pod.serviceAccountToken(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
    await expect(pod.caCert(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('reads the service account folder of Kubernetes by default', async () => {
    // Null outside of a pod, and a token inside of one.
    const found = await kubernetesEnvironment().serviceAccountToken(signal)
    expect(found === null || found.length > 0).toBe(true)
  })
})
