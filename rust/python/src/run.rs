//! How every call enters the core: the GIL released, Ctrl-C honoured, panics caught, errors mapped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use lookalike_core::control::Control;
use lookalike_core::{Error, Result};
use pyo3::prelude::*;

/// How often a long call checks for Ctrl-C.
const GLANCE: Duration = Duration::from_millis(50);
/// Work on fewer bytes than this is over before anybody could press Ctrl-C: it runs without a thread of its own.
const SHORT: usize = 1 << 20;

/// Run `work` without the GIL. `bytes` is the size of what it works on.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    bytes: usize,
    work: impl FnOnce(&Control) -> Result<T> + Send,
) -> PyResult<T> {
    run_told(py, threads, bytes, None, work)
}

/// [`run`], reporting to `progress` at intervals and at the end how far the work is: (stage, steps done, steps in all or 0).
pub fn run_told<T: Send>(
    py: Python<'_>,
    threads: usize,
    bytes: usize,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Control) -> Result<T> + Send,
) -> PyResult<T> {
    let control = Control::new(threads);
    let guarded = || catch_unwind(AssertUnwindSafe(|| work(&control)));
    let (outcome, signal) =
        py.detach(|| if bytes < SHORT { (guarded(), Ok(())) } else { run_watched(&control, progress, guarded) });
    signal?;
    let value = come_out(py, outcome)?;
    if let Some(told) = progress {
        told.call1(py, control.progress())?;
    }
    Ok(value)
}

/// Give memory that was freed back to the system. glibc keeps up to 64 MiB for each thread that has read a table, on top of
/// all that is held later; other allocators give it back by themselves.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        // SAFETY: it may be called at any time, on any thread.
        unsafe { malloc_trim(0) };
    }
}

/// The outcome of work: a value, one of our errors, or a bug in the core.
pub fn come_out<T>(py: Python<'_>, outcome: std::thread::Result<Result<T>>) -> PyResult<T> {
    match outcome {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(to_python(py, &error)),
        Err(panic) => Err(internal(py, &*panic)),
    }
}

/// Work on a thread of its own while this one watches for signals.
fn run_watched<T: Send>(
    control: &Control,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce() -> T + Send,
) -> (T, PyResult<()>) {
    let (done, watch) = channel::<()>();
    let mut signal = Ok(());
    let value = std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let value = work();
            drop(done); // wakes the watcher
            value
        });
        while watch.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
            if signal.is_ok() {
                signal = Python::attach(|py| {
                    py.check_signals()?;
                    progress.map_or(Ok(()), |told| told.call1(py, control.progress()).map(|_| ()))
                });
                if signal.is_err() {
                    control.stop();
                }
            }
        }
        worker.join()
    });
    match value {
        Ok(value) => (value, signal),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// An exception of `lookalike.errors`, by name.
pub fn error_of(py: Python<'_>, name: &str, arguments: impl for<'py> pyo3::call::PyCallArgs<'py>) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let class = py.import("lookalike.errors")?.getattr(name)?;
        Ok(PyErr::from_value(class.call1(arguments)?))
    };
    made().unwrap_or_else(|error| error)
}

pub fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        Error::Setting { field, given, allowed } if field.contains("bands") => {
            error_of(py, "BandsError", (format!("{field} must be {allowed}, not {given}"),))
        }
        Error::Setting { field, given, allowed } => error_of(py, "RecipeError", (*field, given, allowed)),
        Error::Outside(message) | Error::TooLarge(message) => error_of(py, "LookalikeError", (message,)),
        Error::Interrupted => pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
    }
}

fn internal(py: Python<'_>, panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    error_of(py, "InternalError", (text,))
}
