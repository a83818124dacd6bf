import { expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'

it('sys/capabilities-self accepts at most 10,000 paths', async () => {
  const kernel = await createDevKernel()
  const ask = async (count: number, form: 'list' | 'text') => {
    const paths = Array.from({ length: count }, () => 'a')
    const body = Buffer.from(JSON.stringify({ paths: form === 'list' ? paths : paths.join(',') }))
    const headers = { 'X-Service-Token': kernel.rootToken }
    return (await kernel.handle({ method: 'POST', path: '/v1/sys/capabilities-self', headers, body })).status
  }
  for (const form of ['list', 'text'] as const) {
    expect(await ask(10_000, form)).toBe(200)
    expect(await ask(10_001, form)).toBe(400)
  }
  await kernel.close()
})
