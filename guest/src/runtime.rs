//! The QuickJS runtime of this instance.

use std::cell::OnceCell;

use javy::{Config, Runtime, quickjs::qjs};

use crate::{builtins, program, run};

/// The size of the heap at which the cycle collector runs.
const COLLECT_AFTER_BYTES: usize = 4 << 20;
/// The stack limit of QuickJS, beyond which it throws a RangeError. See stack-limit.h. Of calls that a script makes itself,
/// a quarter counts (quickjs.patch).
const STACK_BYTES: usize = 512 << 10;

thread_local! {
    static RUNTIME: OnceCell<&'static Runtime> = const { OnceCell::new() };
}

/// Returns the runtime, with the built-ins and `g` installed.
pub fn get() -> &'static Runtime {
    RUNTIME.with(|runtime| *runtime.get_or_init(|| Box::leak(Box::new(make()))))
}

fn make() -> Runtime {
    let mut config = Config::default();
    config.gc_threshold(COLLECT_AFTER_BYTES).max_stack_size(STACK_BYTES).weak_ref(true).javy_stream_io(false);
    // This runs at build time, so a failure stops the build.
    let runtime = Runtime::new(config).expect("QuickJS starts");
    run::track_rejections(runtime.context().runtime());
    runtime.context().runtime().set_loader(program::NoOtherFiles, program::NoOtherFiles);
    runtime.context().with(|ctx| {
        // SAFETY: the context is in use by nothing else. This adds DOMException too.
        let status = unsafe { qjs::JS_AddIntrinsicAToB(ctx.as_raw().as_ptr()) };
        assert_eq!(status, 0, "atob and btoa are added");
    });
    runtime.context().with(|ctx| builtins::install(&ctx).expect("the built-ins are in order"));
    runtime
}

/// Calls a function with the context.
pub fn with<T>(f: impl for<'js> FnOnce(javy::quickjs::Ctx<'js>) -> T) -> T {
    get().context().with(f)
}
