import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import {
  CURVE_25519,
  CurveCode,
  CurvesNotLoadedError,
  loadCurves,
  NIST_CURVES,
  withCurves,
  withCurvesSteps,
} from '../../../src/core/crypto/curves/curve-code.ts'
import { driven } from './steps.ts'

/** Curves whose import fails as often as given, and counts its calls. */
function curvesFailing(times: number) {
  const imports = { count: 0 }
  const curves = new CurveCode('test curves', async () => {
    imports.count++
    if (imports.count <= times) throw new Error('no network')
    return { answer: 42 }
  })
  return { curves, imports }
}

describe('the code of curves', () => {
  it('is refused with a TypeError that names the curves before it is loaded', () => {
    const { curves } = curvesFailing(0)
    expect(() => curves.code).toThrow(TypeError)
    expect(() => curves.assertLoaded()).toThrow('the code of test curves is not loaded yet')
  })

  it('is imported once by concurrent and later loads', async () => {
    const { curves, imports } = curvesFailing(0)
    await Promise.all([curves.load(), curves.load()])
    await curves.load()
    curves.assertLoaded()
    expect(curves.code.answer).toBe(42)
    expect(imports.count).toBe(1)
  })

  it('rejects with a 503 if the import fails, and imports again at the next load', async () => {
    const { curves, imports } = curvesFailing(1)
    const refusal = { status: 503, message: 'the code of test curves could not be loaded; retry', cause: new Error('no network') }
    const first = [curves.load(), curves.load()]
    for (const load of first) await expect(load).rejects.toMatchObject(refusal)
    expect(() => curves.code).toThrow(CurvesNotLoadedError)
    await curves.load()
    expect(curves.code.answer).toBe(42)
    expect(imports.count).toBe(2)
  })

  it('is loaded for all curves by loadCurves', async () => {
    await loadCurves()
    for (const curves of [NIST_CURVES, CURVE_25519]) curves.assertLoaded()
  })
})

describe.each([
  ['withCurves', withCurves],
  ['withCurvesSteps', <T>(work: () => T) => driven(withCurvesSteps(work))],
] as const)('%s', (_, run) => {
  it('calls a function again after loading the curves that it lacks', async () => {
    const [one, other] = [curvesFailing(0), curvesFailing(0)]
    expect(await run(() => one.curves.code.answer + other.curves.code.answer)).toBe(84)
    expect([one.imports.count, other.imports.count]).toEqual([1, 1])
  })

  it('throws the other errors of the function', async () => {
    const refusal = new Error('refused')
    const work = () => {
      throw refusal
    }
    await expect((async () => run(work))()).rejects.toBe(refusal)
  })

  it('rejects if the code cannot be loaded', async () => {
    const { curves } = curvesFailing(1)
    await expect((async () => run(() => curves.code.answer))()).rejects.toMatchObject({ status: 503 })
  })
})

it('withCurvesSteps is synchronous if the code is loaded', async () => {
  const { curves } = curvesFailing(0)
  await curves.load()
  expect(runToEnd(withCurvesSteps(() => curves.code.answer))).toBe(42)
})
