/**
 * The code of elliptic curves is loaded when it is first used: loading it takes 5 to 20 ms, and most applications only encrypt.
 *
 * The methods of backends are synchronous, so a method whose curves are not loaded yet throws {@link CurvesNotLoadedError}. If that happens
 * in the body of a transaction, the transaction loads the code and runs the body again, just as it does for a record that is not loaded.
 * Code that runs later, such as the computations after a commit, relies on the body: the body calls {@link CurveCode.assertLoaded}.
 */
import { platform } from '#platform/subtle'
import { CodeNotLoadedError, DeferredCode, loadMissingCode } from '../../base/deferred-code.ts'
import { awaitInSteps, type Steps } from '../../base/steps.ts'

/** The code of a family of curves. `M` is the module that contains the code. */
export class CurveCode<M = unknown> extends DeferredCode<M> {
  protected override missing(): CurvesNotLoadedError {
    return new CurvesNotLoadedError(this)
  }
}

/** A method of a backend was called before the code of its curves was loaded. */
export class CurvesNotLoadedError extends CodeNotLoadedError {
  constructor(curves: CurveCode) {
    super(
      curves,
      `the code of ${curves.name} is not loaded yet; outside of the operations of a kernel, await loadCurves() of strongroom/engine first`,
    )
  }
}

/** P-224, P-256, P-384 and P-521: signatures and key agreement. `platform` is the ECDSA of the platform, or noble's if it has none. */
export const NIST_CURVES = /* @__PURE__ */ new CurveCode('the NIST curves', async () => {
  const [noble, ecdsa] = await Promise.all([import('./nist.ts'), platform?.ecdsa?.()])
  return { ...noble, platform: ecdsa ?? noble }
})

/** Ed25519 and X25519. */
export const CURVE_25519 = /* @__PURE__ */ new CurveCode('Curve25519', () => import('./curve25519.ts'))

/**
 * Loads the code of all elliptic curves. A kernel loads the code by itself: when the body of an operation calls a method of
 * `CryptoBackend` that needs it, the code is loaded, and the body runs again. Other code, such as an effect, awaits this function before it
 * calls `ecdsaGenerate`, `ecdsaSign`, `ecdsaVerify`, `ed25519Sign`, `ed25519Verify` or `x25519` of a backend of this package.
 * @throws KernelError 503 if the code cannot be loaded; a later call tries again
 */
export async function loadCurves(): Promise<void> {
  await Promise.all([NIST_CURVES.load(), CURVE_25519.load()])
}

/** Calls `work`. Whenever `work` needs the code of curves that is not loaded yet, loads that code and calls `work` again. */
export async function withCurves<T>(work: () => T): Promise<T> {
  for (;;) {
    try {
      return work()
    } catch (thrown) {
      await loadMissingCode(thrown)
    }
  }
}

/** Does the same as {@link withCurves} in steps. */
export function* withCurvesSteps<T>(work: () => T): Steps<T> {
  for (;;) {
    try {
      return work()
    } catch (thrown) {
      if (!(thrown instanceof CurvesNotLoadedError)) throw thrown
      yield* awaitInSteps(thrown.code.load())
    }
  }
}
