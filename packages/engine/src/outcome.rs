//! How results and failures reach JavaScript.

use napi::bindgen_prelude::Object;
use napi::{Env, JsDeferred};
use napi_derive::napi;

use crate::failure::{Failure, Result};
use crate::responder::Responder;

/// The value of a promise: an error if it has a `code`, else the result. Entities are separate strings, never part of the JSON.
#[napi(object)]
#[derive(Default)]
pub struct Outcome {
    pub code: Option<String>,
    pub message: Option<String>,
    /// The result as JSON or as plain text.
    pub head: Option<String>,
    pub texts: Option<Vec<String>>,
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Outcome {
        Outcome { code: Some(failure.code.name().to_owned()), message: Some(failure.message), ..Outcome::default() }
    }
}

type Resolve = Box<dyn FnOnce(Env) -> napi::Result<Outcome> + Send>;

/// Creates a promise, and the responder that resolves it from any thread.
pub fn create_promise<T: 'static>(env: &Env, to_outcome: fn(T) -> Outcome) -> napi::Result<(Responder<T>, Object<'_>)> {
    let (deferred, promise): (JsDeferred<Outcome, Resolve>, _) = env.create_deferred()?;
    let responder = Responder::new(move |result: Result<T>| {
        let outcome = result.map_or_else(Outcome::from, to_outcome);
        deferred.resolve(Box::new(move |_| Ok(outcome)));
    });
    Ok((responder, promise))
}

pub fn to_error(failure: Failure) -> napi::Error {
    napi::Error::from_reason(failure.to_string())
}
